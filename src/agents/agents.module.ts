import { Module } from '@nestjs/common';
import { BotsModule } from '../bots/bots.module.js';
import { ExchangesModule } from '../exchanges/exchanges.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { PreviewsModule } from './previews/previews.module.js';
import { AgentMetrics } from './agent-metrics.js';
import { McpController } from './mcp.controller.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { CONSTRUCTED_TOOLS, Toolbox } from './toolbox.js';
import { ToolRunner } from './tool-runner.js';
import type { Tool } from './tool.js';
import { CancelAllOrdersTool } from './tools/cancel-all-orders.js';
import { CancelOrderTool } from './tools/cancel-order.js';
import { GetAccountTool } from './tools/get-account.js';
import { GetCandlesticksTool } from './tools/get-candlesticks.js';
import { GetMarketTool } from './tools/get-market.js';
import { GetOrderTool } from './tools/get-order.js';
import { GetOrderbookTool } from './tools/get-orderbook.js';
import { GetPortfolioTool } from './tools/get-portfolio.js';
import { GetTradesTool } from './tools/get-trades.js';
import { HaltTool } from './tools/halt.js';
import { ListFillsTool } from './tools/list-fills.js';
import { ListOrdersTool } from './tools/list-orders.js';
import { PlaceOrderTool } from './tools/place-order.js';
import { PreviewOrderTool } from './tools/preview-order.js';
import { SearchMarketsTool } from './tools/search-markets.js';

/** Every tool, in the order of the list: the one line to add. */
const TOOLS = [
  SearchMarketsTool,
  GetMarketTool,
  GetOrderbookTool,
  GetCandlesticksTool,
  GetTradesTool,
  GetAccountTool,
  GetPortfolioTool,
  ListOrdersTool,
  GetOrderTool,
  ListFillsTool,
  PreviewOrderTool,
  PlaceOrderTool,
  CancelOrderTool,
  CancelAllOrdersTool,
  HaltTool,
] as const;

/** Tools for AI agents at `POST /mcp`, where `MCP` is on (contract.md 5.20). */
@Module({
  imports: [BotsModule, ExchangesModule, MetricsModule, PreviewsModule, ProxyModule],
  controllers: [McpController],
  providers: [
    ...TOOLS,
    { provide: CONSTRUCTED_TOOLS, useFactory: (...tools: Tool[]) => tools, inject: [...TOOLS] },
    Toolbox,
    ToolRunner,
    AgentMetrics,
    McpEndpoint,
  ],
})
export class AgentsModule {}
