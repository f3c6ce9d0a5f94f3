import {
  queryOptions,
  skipToken,
  useMutation,
  type UseMutationResult,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query';
import { api } from '../session/session.js';
import { type Schemas, take } from './client.js';
import { queries } from './queries.js';

export type Bot = Schemas['BotDto'];
export type BotLimits = Schemas['BotLimitsDto'];
export type BotTerms = Schemas['CreateBotDto'];
export type BotChange = Schemas['ChangeBotDto'];
export type HaltReport = Schemas['HaltReportDto'];

/** How often the bots are read anew where they are watched, in milliseconds. */
const WATCH_MS = 10_000;

/** All of the user, newest first, removed ones of the last 90 days too. */
export const botsQuery = queryOptions({
  queryKey: ['bots'],
  queryFn: async () => (await take(api.GET('/account/bots'))).bots,
});

export function useBots(): UseQueryResult<Bot[]> {
  return useQuery(botsQuery);
}

/** As `useBots`; where they are watched, read anew every 10 s while the page is seen: what becomes of a halt has no stream. */
export function useWatchedBots(isWatched: boolean): UseQueryResult<Bot[]> {
  return useQuery({ ...botsQuery, refetchInterval: isWatched && WATCH_MS });
}

/** As `useBots`, on a page that stays open: read anew every 10 s while a bot is at work and the page is seen. */
export function useLivingBots(): UseQueryResult<Bot[]> {
  return useQuery({ ...botsQuery, refetchInterval: ({ state }) => state.data?.some(isAtWork) === true && WATCH_MS });
}

/** Whether it can still be resumed: removed ones cannot. */
export function isLiving({ state }: Bot): boolean {
  return state !== 'removed';
}

/** Whether orders of it may rest or come: also of one that was removed while not all of its orders could be cancelled. */
export function isAtWork(bot: Bot): boolean {
  return isLiving(bot) || bot.halted?.complete === false;
}

/** A key of a bot, as the service tells it once. */
export interface NewBotKey {
  readonly botId: string;
  readonly name: string;
  readonly key: string;
  /** When the key before it ends; null where there was none, or it has ended. */
  readonly previousValidUntil: string | null;
}

/** Keys that were made in this tab, newest first; gone with the tab. */
const newKeysQuery = queryOptions<readonly NewBotKey[]>({
  queryKey: ['new-bot-keys'],
  queryFn: skipToken,
  gcTime: Infinity,
});

export function useNewBotKeys(): readonly NewBotKey[] {
  return useQuery(newKeysQuery).data ?? [];
}

/** The person has kept it, or it is good for nothing any more. */
export function putNewKeyAway(botId: string): void {
  queries.setQueryData(newKeysQuery.queryKey, (keys = []) => keys.filter((key) => key.botId !== botId));
}

/** One key a bot: one before it would soon be refused. */
function keepNewKey(made: NewBotKey): void {
  putNewKeyAway(made.botId);
  queries.setQueryData(newKeysQuery.queryKey, (keys = []) => [made, ...keys]);
}

/** What the last halt in this tab came to; null once the reader has put it away. */
const haltQuery = queryOptions<readonly HaltReport[] | null>({
  queryKey: ['halt-result'],
  queryFn: skipToken,
  gcTime: Infinity,
});

export function useHaltResult(): readonly HaltReport[] | null {
  return useQuery(haltQuery).data ?? null;
}

export function putHaltAway(): void {
  queries.setQueryData(haltQuery.queryKey, null);
}

/** Shows on whatever page what became of a halt. Bots are read anew in the background. */
function tellHalt(reports: readonly HaltReport[]): void {
  queries.setQueryData(haltQuery.queryKey, reports);
  readBots();
}

/** After any change: it has been made, whether the list can be read just now or not. */
function readBots(): void {
  void queries.invalidateQueries(botsQuery);
}

function pathOf(id: string) {
  return { params: { path: { bot_id: id } } };
}

/** Makes a bot; its key is shown once. Throws Failure. */
export async function makeBot(body: BotTerms): Promise<void> {
  const { bot, key } = await take(api.POST('/account/bots', { body }));
  keepNewKey({ botId: bot.id, name: bot.name, key, previousValidUntil: null });
  readBots();
}

/** Changes what is named, and nothing else. Throws Failure. */
export async function changeBot(id: string, body: BotChange): Promise<void> {
  await take(api.PATCH('/account/bots/{bot_id}', { ...pathOf(id), body }));
  readBots();
}

/** A new key; the one before works on so many seconds. */
export function useRotateBot({ id, name }: Bot): UseMutationResult<NewBotKey, Error, number> {
  return useMutation({
    mutationFn: async (seconds) => {
      const body = { overlap_seconds: seconds };
      const made = await take(api.POST('/account/bots/{bot_id}/rotate', { ...pathOf(id), body }));
      return { botId: id, name, key: made.key, previousValidUntil: seconds === 0 ? null : made.previous_valid_until };
    },
    onSuccess: (made) => {
      keepNewKey(made);
      readBots();
    },
  });
}

export function useResumeBot({ id }: Bot): UseMutationResult<Bot, Error, void> {
  return useMutation({
    mutationFn: () => take(api.POST('/account/bots/{bot_id}/resume', pathOf(id))),
    onSuccess: readBots,
  });
}

function halt(id: string): Promise<HaltReport> {
  return take(api.POST('/account/bots/{bot_id}/halt', pathOf(id)));
}

export function useHaltBot({ id }: Bot): UseMutationResult<HaltReport, Error, void> {
  return useMutation({
    mutationFn: () => halt(id),
    onSuccess: (report) => {
      tellHalt([report]);
    },
  });
}

export function useRemoveBot({ id }: Bot): UseMutationResult<HaltReport, Error, void> {
  return useMutation({
    mutationFn: () => take(api.DELETE('/account/bots/{bot_id}', pathOf(id))),
    onSuccess: (report) => {
      putNewKeyAway(id);
      tellHalt([report]);
    },
  });
}

/** Halts all that live. */
export function useHaltAll(): UseMutationResult<readonly HaltReport[], Error, void> {
  return useMutation({
    mutationFn: async () => (await take(api.POST('/account/bots/halt'))).bots,
    onSuccess: tellHalt,
  });
}

/** Goes on with halts that are not complete, where they ended; others stay in the report. */
export function useGoOnHalting(reports: readonly HaltReport[]): UseMutationResult<readonly HaltReport[], Error, void> {
  return useMutation({
    mutationFn: () =>
      Promise.all(reports.map((report) => (report.complete ? Promise.resolve(report) : halt(report.bot_id)))),
    onSuccess: tellHalt,
  });
}
