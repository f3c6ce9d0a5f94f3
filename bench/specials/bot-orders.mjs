import { digits } from '../lib/format.mjs';
import { toRound } from '../lib/measurement.mjs';
import { processTree } from '../lib/process-facts.mjs';
import { addCounts, median } from '../lib/statistics.mjs';

const CONNECTIONS = 64;
/**
 * As many bots send at once. One alone cannot keep the server busy, since its orders wait for its sums, and an idle server takes more CPU
 * for each request: 64 connections of the main key use 2,200 µs an order, 2 of them 4,700.
 */
const BOTS = 4;
const PROFILES_PER_SECOND = 100;
/** Rounds of the main key and of a bot, in turn, for each round of a case: the difference is small. */
const TURNS = 2;
const SETTLE_MS = 500;
/** At 100 a second, some 600 answers. */
const LONGER = 5;

/** All limits but `max_price_distance`, which reads a book; none is met. */
const LIMITS = {
  max_order_risk: '1000000',
  max_open_risk: '100000000',
  max_daily_risk: '100000000',
  max_total_risk: '100000000',
  max_position: '100000000',
  max_open_orders: 1_000_000,
  max_orders_per_minute: 6_000,
  max_order_seconds: 3_600,
};

/** A bot that has sent nothing yet: what its earlier orders cost is not measured, and its limit of a minute is not met. */
function newBot({ ours, token }, name) {
  const body = { name, scopes: ['trade'], limits: LIMITS };
  return ours.call('POST', '/account/bots', { token, body }).then(({ answer }) => answer.key);
}

/** One round of several groups, as one of all their requests; times are those of the first group. */
async function measureGroups(generator, plan) {
  const result = await generator.run(plan);
  const [first] = result.groups;
  const count = result.groups.reduce((sum, group) => sum + group.count, 0);
  return toRound({ ...result, groups: [{ ...first, count, bad: addCounts(result.groups.map(({ bad }) => bad)) }] });
}

/** What an order of a bot costs beside one of the main key, and what another user waits for meanwhile. */
async function measure({ generator, options, askOrder }, subject) {
  const { port, pid, facts } = subject;
  const ordersOf = (key, connections) => ({
    ...askOrder({ ...subject, facts: { ...facts, key } }),
    ...{ port, connections },
  });
  const rounds = { main: [], bot: [] };
  let made = 0;
  const botKey = () => newBot(facts, `bench ${(made += 1)}`);
  const keysOf = {
    main: () => Array.from({ length: BOTS }, () => facts.key),
    bot: () => Promise.all(Array.from({ length: BOTS }, botKey)),
  };
  const run = async (kind, times) => {
    const groups = (await keysOf[kind]()).map((key) => ordersOf(key, CONNECTIONS / BOTS));
    return measureGroups(generator, { groups, pids: processTree(pid), ...times });
  };
  for (const kind of ['main', 'bot']) await run(kind, { warmUpMs: options.warmUpMs, measureMs: 0 });
  for (let turn = 0; turn < options.rounds * TURNS; turn += 1) {
    const times = { warmUpMs: SETTLE_MS, measureMs: options.measureMs };
    for (const kind of turn % 2 === 0 ? ['main', 'bot'] : ['bot', 'main']) rounds[kind].push(await run(kind, times));
  }
  const of = (kind, figure) => median(rounds[kind].map((round) => round[figure]));
  const other = await facts.ours.signUp({ ...facts.logIn, email: `profile-${facts.logIn.email}` });
  const profile = {
    ...{ method: 'GET', path: '/account/profile', headers: { Authorization: `Bearer ${other}` }, expect: 200 },
    ...{ port, connections: CONNECTIONS, rate: PROFILES_PER_SECOND },
  };
  const p99s = { alone: [], beside: [] };
  const times = { warmUpMs: SETTLE_MS, measureMs: options.measureMs * LONGER };
  for (let round = 0; round < options.rounds; round += 1) {
    const loads = { alone: [profile], beside: [profile, ordersOf(await botKey(), CONNECTIONS)] };
    for (const [kind, groups] of Object.entries(loads))
      p99s[kind].push(toRound(await generator.run({ groups, pids: processTree(pid), ...times })));
  }
  const p99 = (kind) => median(p99s[kind].map((round) => round.p99));
  return {
    cpu: { main: of('main', 'cpuUs'), bot: of('bot', 'cpuUs'), ratio: of('bot', 'cpuUs') / of('main', 'cpuUs') },
    database: { main: of('main', 'databaseUs'), bot: of('bot', 'databaseUs') },
    profile: { alone: p99('alone'), beside: p99('beside'), ratio: p99('beside') / p99('alone') },
    bad: [...rounds.main, ...rounds.bot, ...p99s.alone, ...p99s.beside].map(({ bad }) => bad),
    rounds: { ...rounds, ...p99s },
  };
}

export const BOT_ORDERS = {
  id: 'bot-orders',
  subjects: ['ours', 'before'],
  title: 'orders of a bot with all limits but max_price_distance',
  async run(context) {
    const found = {};
    for (const subject of context.own) found[subject.name] = await measure(context, subject);
    return { found, lines: linesOf(found) };
  },
};

function linesOf(found) {
  return Object.entries(found).flatMap(([name, { cpu, database, profile }]) => [
    [
      name,
      'an order',
      `${digits(cpu.bot, 0)} µs of CPU for one of ${BOTS} bots, ${digits(cpu.main, 0)} µs for the main key: ${digits(cpu.ratio, 2)} ×; ` +
        `${digits(database.bot, 0)} and ${digits(database.main, 0)} µs in the database`,
    ],
    [
      name,
      'p99 of profile',
      `${digits(profile.alone, 1)} ms alone, ${digits(profile.beside, 1)} ms beside 64 orders of a bot: ${digits(profile.ratio, 1)} ×`,
    ],
  ]);
}
