import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { type Bot, isLiving, useLivingBots } from '../../api/bots.js';
import type { Market } from '../../api/client.js';
import type { OrderPreview } from '../../api/previews.js';
import { type Exchange, readOn, useLists } from '../../api/portfolio.js';
import { Amount } from '../amount.js';
import { ALL_LIMITS } from '../bots/words.js';
import { plainText } from '../foreign-text.js';
import { listed } from '../names.js';
import { Select } from '../select.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { Notice, ui } from '../ui.js';
import { type Here, hereOf, lacksFills } from './bot-here.js';
import { type Room, roomsOf, whyNot } from './bot-room.js';

function labelOf(limit: string): string {
  return ALL_LIMITS.find(({ id }) => id === limit)?.label ?? limit;
}

function amountOf(id: string, head: string, cell: (room: Room) => ReactNode): Column<Room> {
  return { id, drawn: { head, kind: 'number', width: 90, narrow: 3, cell } };
}

function Asked({ asked, unit }: Room): ReactNode {
  if (asked === null) return <Amount value={null} />;
  const { least, most } = asked;
  if (most === least) return <Amount value={least} unit={unit ?? undefined} />;
  return (
    <>
      <Amount value={least} />{' '}
      {most === null ? (
        'or more'
      ) : (
        <>
          to <Amount value={most} unit={unit ?? undefined} />
        </>
      )}
    </>
  );
}

function Fits({ fits }: Room): ReactNode {
  if (fits === null) return 'Cannot be told';
  return fits ? 'Fits' : <strong className={ui.wrong}>Too much</strong>;
}

const COLUMNS: readonly Column<Room>[] = [
  { id: 'limit', drawn: { head: 'Limit', width: 150, narrow: 'name', cell: ({ limit }) => labelOf(limit) } },
  amountOf('used', 'Used', ({ used, unit }) => <Amount value={used} unit={unit ?? undefined} />),
  amountOf('asked', 'This order', (room) => <Asked {...room} />),
  amountOf('allowed', 'Allowed', ({ allowed, unit }) => <Amount value={allowed} unit={unit ?? undefined} />),
  { id: 'fits', drawn: { head: 'Room', width: 100, narrow: 'act', cell: (room) => <Fits {...room} /> } },
];

/** What is to be said of limits, once for all of which it is the same. */
function Notes({ rooms }: { readonly rooms: readonly Room[] }): ReactNode {
  const notes = [...new Set(rooms.flatMap(({ note }) => note ?? []))];
  if (notes.length === 0) return null;
  return (
    <div className={ui.hint}>
      {notes.map((note) => (
        <div key={note}>
          {listed(rooms.filter((room) => room.note === note).map(({ limit }) => labelOf(limit)))}: {note}
        </div>
      ))}
    </div>
  );
}

interface LimitsProps {
  readonly bot: Bot;
  readonly order: NonNullable<OrderPreview['order']>;
  readonly preview: OrderPreview;
  readonly here: Here | string;
}

function Limits(asked: LimitsProps): ReactNode {
  const { bot } = asked;
  const rooms = roomsOf({ ...asked, now: Date.now() });
  if (rooms.length === 0)
    return <p className={ui.hint}>It has no limit of its own that is looked at for this order.</p>;
  return (
    <>
      <Table label={`Limits of ${bot.name}`} columns={COLUMNS} rows={rooms} keyOf={({ limit }) => limit} />
      <Notes rooms={rooms} />
      <p className={ui.hint}>
        As of the preview and of what is read of the bot: without fees, and both move on. Where a limit has no room, the
        service first asks the exchange what became of the bot’s orders, which may give some back. How many orders a day
        are left to the bot, of those that you may ask for, is not reckoned. A preview that is sent with the bot’s own
        key tells what the service itself would say.
      </p>
    </>
  );
}

/** What a bot has of the market: by the lists that the page shows, which are read on for it. */
function useHere(bot: Bot | undefined, exchange: Exchange, market: Market): Here | string {
  const exchanges = useMemo(() => [exchange], [exchange]);
  const [orders] = useLists('orders', exchanges, { market_id: market.id });
  const [fills] = useLists('fills', exchanges, { market_id: market.id });
  useEffect(() => {
    if (bot === undefined || orders === undefined || fills === undefined) return;
    readOn(orders, orders.hasMore);
    readOn(fills, lacksFills(fills, bot));
  }, [bot, orders, fills]);
  if (bot === undefined || orders === undefined || fills === undefined)
    return 'its orders and fills here are not read.';
  return hereOf(bot, { orders, fills }, Date.now());
}

interface AsBotProps {
  readonly exchange: Exchange;
  readonly preview: OrderPreview;
  readonly market: Market;
}

/** Which limits of a bot would be in the way of the order, as far as that is known without its key. */
export function AsBot({ exchange, preview, market }: AsBotProps): ReactNode {
  const bots = (useLivingBots().data ?? []).filter((one) => isLiving(one) && one.scopes.includes('trade'));
  const [id, setId] = useState('');
  const bot = bots.find((one) => one.id === id);
  const here = useHere(bot, exchange, market);
  if (bots.length === 0 || preview.order === null) return null;
  const obstacle = bot === undefined ? null : whyNot(bot, market);
  return (
    <section className={ui.stack} aria-label="As a bot">
      <Select
        label="As which bot"
        value={bot?.id ?? ''}
        options={[['', 'None: as your main key'], ...bots.map((one) => [one.id, plainText(one.name)] as const)]}
        onChange={({ target }) => {
          setId(target.value);
        }}
      />
      {obstacle === null ? null : (
        <Notice kind="bad">
          <strong>It would be refused.</strong> <span>{obstacle}</span>
        </Notice>
      )}
      {bot === undefined ? null : <Limits bot={bot} order={preview.order} preview={preview} here={here} />}
    </section>
  );
}
