import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/metrics/metrics.js';
import { ToolRunner } from './tool-runner.js';
import { Toolbox } from './toolbox.js';

/** Shows which tools agents call, and what came of it. */
@Injectable()
export class AgentMetrics {
  constructor(metrics: Metrics, toolbox: Toolbox, { calls }: ToolRunner) {
    for (const { name } of toolbox.list) for (const outcome of ['done', 'refused']) calls.expect(name, outcome);
    metrics.tally({ name: 'agent_tool_calls_total', help: 'Calls of tools by agents, by what came of them.' }, calls);
  }
}
