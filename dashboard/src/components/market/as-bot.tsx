import { type ReactNode, useState } from 'react';
import { type Bot, useLivingBots } from '../../api/bots.js';
import type { Market } from '../../api/client.js';
import type { OrderPreview } from '../../api/previews.js';
import { Amount } from '../amount.js';
import { ALL_LIMITS } from '../bots/words.js';
import { plainText } from '../foreign-text.js';
import { listed } from '../names.js';
import { Select } from '../select.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { Notice, ui } from '../ui.js';
import { type Room, roomsOf, tradingBots, UNRECKONED, whyNot } from './bot-room.js';

function labelOf(limit: string): string {
  return ALL_LIMITS.find(({ id }) => id === limit)?.label ?? limit;
}

function amountOf(id: string, head: string, value: (room: Room) => string, narrow: number): Column<Room> {
  const cell = (room: Room): ReactNode => <Amount value={value(room)} unit={room.unit ?? undefined} />;
  return { id, drawn: { head, kind: 'number', width: 90, narrow, cell } };
}

const COLUMNS: readonly Column<Room>[] = [
  { id: 'limit', drawn: { head: 'Limit', width: 150, narrow: 'name', cell: ({ limit }) => labelOf(limit) } },
  amountOf('used', 'Used', ({ used }) => used, 3),
  amountOf('asked', 'This order', ({ asked }) => asked, 3),
  amountOf('allowed', 'Allowed', ({ allowed }) => allowed, 3),
  {
    id: 'fits',
    drawn: {
      head: 'Room',
      width: 80,
      narrow: 'act',
      cell: ({ fits }) => (fits ? 'Fits' : <strong className={ui.wrong}>Too much</strong>),
    },
  },
];

interface LimitsProps {
  readonly bot: Bot;
  readonly order: NonNullable<OrderPreview['order']>;
}

function Limits({ bot, order }: LimitsProps): ReactNode {
  const rooms = roomsOf(bot, order);
  const unknown = UNRECKONED.filter((limit) => bot.limits[limit] !== null);
  return (
    <>
      {rooms.length === 0 ? null : (
        <Table label={`Limits of ${bot.name}`} columns={COLUMNS} rows={rooms} keyOf={({ limit }) => limit} />
      )}
      <p className={ui.hint}>
        {rooms.length === 0
          ? 'It has no limit that can be reckoned here. '
          : 'Reckoned here from the price and size of this order, and from what the bot has used in all: what it holds or has open in this market may make it more or less. '}
        {unknown.length === 0 ? '' : `Not reckoned: ${listed(unknown.map(labelOf))}. `}A preview that is sent with the
        bot’s own key tells all of its limits exactly.
      </p>
    </>
  );
}

interface AsBotProps {
  readonly preview: OrderPreview;
  readonly market: Market;
}

/** Which limits of a bot would be in the way of the order, as far as that is known without its key. */
export function AsBot({ preview, market }: AsBotProps): ReactNode {
  const bots = tradingBots(useLivingBots().data ?? []);
  const [id, setId] = useState('');
  const bot = bots.find((one) => one.id === id);
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
      {bot === undefined ? null : <Limits bot={bot} order={preview.order} />}
    </section>
  );
}
