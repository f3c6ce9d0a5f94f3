import type { z } from 'zod';
import type { ApiKeyPrincipal, BotOfKey, Scope } from '../access/principal.js';
import type { ObjectField } from './answers/fields.js';

/** The bot that calls a tool: only keys of bots reach the tools. */
export type BotCaller = ApiKeyPrincipal & { readonly bot: BotOfKey };

/** What a tool does to the bot's account, which decides its hints: nothing, an end of orders, or an order. */
export type Effect = 'none' | 'cancel' | 'order';

/** A tool: one class, of one file in `tools/`. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly scope: Scope;
  readonly effect: Effect;
  /** Two sentences: what it does, and what it costs and risks. The same whatever the markets are called. */
  readonly description: string;
  /** Objects inside it are checked by whoever takes them. */
  readonly input: Input;
  /** What an answer may hold of what `run` returns; everything else of that is left out. */
  readonly output: ObjectField;
  /** Whether a bot may call it at an exchange that was taken from it (contract.md 5.11). */
  readonly isForOwnOrders?: true;
  /** Throws AppError. */
  run(caller: BotCaller, args: z.output<Input>): Promise<object>;
}
