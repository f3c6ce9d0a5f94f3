import { Body, Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Caller, CountAsCancel, RequireBot } from '../access/access.decorators.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { assertOneMessage, calledTool, claimedClient } from './messages.js';
import { OwnOriginGuard } from './own-origin.guard.js';
import type { BotCaller } from './tool.js';
import { CANCELLING } from './tools/cancelling.js';
import { asWebRequest, writeAnswer } from './web-answers.js';

function isCancel(body: unknown): boolean {
  return CANCELLING.has(calledTool(body) ?? '');
}

/** Tools for AI agents: Model Context Protocol over HTTP without sessions (contract.md 5.20). */
@ApiExcludeController()
@UseGuards(OwnOriginGuard)
@Controller('mcp')
export class McpController {
  constructor(private readonly endpoint: McpEndpoint) {}

  @CountAsCancel(isCancel)
  @RequireBot()
  @HttpCode(200)
  @Post()
  async call(
    @Caller() caller: BotCaller,
    @Body() body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    assertOneMessage(body);
    const call = { caller, response, client: claimedClient(body, request.headers['user-agent']) };
    const answer = await this.endpoint.answer(asWebRequest(request, response), body, call);
    await writeAnswer(answer, response);
  }
}
