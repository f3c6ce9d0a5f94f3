import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { LONGEST } from '../../address.js';
import {
  marketById,
  mayNameMarket,
  mayNameOrder,
  namedMarket,
  type Suggestions,
  suggestionsQuery,
} from '../../api/found.js';
import { nameOf } from '../../api/asked-orders.js';
import { installation } from '../../installation.js';
import { searchOf } from '../markets/search.js';
import { applyTheme } from '../../design/theme.js';
import { announce } from '../announcer.js';
import { buttonClass, FailureNotice, ui } from '../ui.js';
import { AgesOf, NO_CATALOGUE } from './ages.js';
import { type Choice, ChoiceLine, choicesOf } from './choices.js';
import { type Command, useCommands } from './commands.js';
import type { SearchBoxProps } from './search-button.js';
import css from './search.module.css';

/** After the last key, in milliseconds. */
const PAUSE_MS = 120;
const LIST = 'search-choices';

/** What the text finds, once the keys pause and the call before is answered: one call at a time, the last text's answer last. */
function useSuggestions(text: string) {
  const [asked, ask] = useState('');
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(suggestionsQuery(asked));
  useEffect(() => {
    if (isFetching || asked === text) return undefined;
    const timer = setTimeout(ask, PAUSE_MS, text);
    return () => {
      clearTimeout(timer);
    };
  }, [text, asked, isFetching]);
  const isAnswered = asked === text && !isFetching && !isPlaceholderData;
  return { found: text === '' ? undefined : data, error: asked === text ? error : null, isAnswered, refetch };
}

/** Does what was chosen, which most often leads to a page; whether the focus goes elsewhere. */
function useGo(onStopAll: () => void): (choice: Choice) => boolean {
  const navigate = useNavigate();
  const command = (chosen: Command): boolean => {
    if (chosen.does === 'page') void navigate({ to: chosen.to });
    if (chosen.does === 'bot') void navigate({ to: '/bots', hash: chosen.id });
    if (chosen.does === 'stop') onStopAll();
    if (chosen.does !== 'theme') return true;
    applyTheme(chosen.theme);
    announce(chosen.label);
    return false;
  };
  const shown = useSearch({ from: '/inside/markets', shouldThrow: false });
  return (choice) => {
    if (choice.kind === 'command') return command(choice);
    if (choice.kind === 'market') {
      const { exchange, id } = choice.market;
      void navigate({ to: '/markets/$exchange/$id', params: { exchange, id } });
    } else if (choice.kind === 'order') {
      const { order } = choice;
      void navigate({
        to: '/activity/orders/$id',
        params: { id: nameOf(order) },
        search: { exchange: order.exchange },
      });
    } else {
      const kept = { ...shown, search: choice.text, event: undefined, status: undefined };
      void navigate({ to: '/markets', search: searchOf(kept) });
    }
    return true;
  };
}

/** Where a text itself leads: to the market or the order that it names, else to all that it finds. */
async function chosenBy(text: string, found: Suggestions | undefined): Promise<Choice> {
  const all = { kind: 'all', text } as const;
  if (found === undefined) return all;
  if (found.order !== null) return { kind: 'order', order: found.order };
  const open = namedMarket(found.markets, text);
  if (open !== null) return { kind: 'market', market: open };
  if (found.markets.length > 0 || !mayNameMarket(text)) return all;
  const exchanges = installation.exchanges.map(({ id }) => id);
  const over = await marketById(exchanges, text);
  return over === null ? all : { kind: 'market', market: over };
}

function countOf({ markets, order }: Suggestions, commands: number): string {
  if (commands > 0 && markets.length === 0) return commands === 1 ? '1 command' : `${commands} commands`;
  if (order !== null) return 'An order of yours';
  if (markets.length === 0) return 'Nothing found';
  return markets.length === 1 ? '1 market' : `${markets.length} markets`;
}

interface NothingProps {
  readonly text: string;
  readonly ages: Suggestions['ages'];
}

function Nothing({ text, ages }: NothingProps): ReactNode {
  if (ages === null) return <p>{NO_CATALOGUE}</p>;
  return (
    <>
      <p>
        Titles, ids, categories and tags of the open markets were searched
        {mayNameOrder(text) ? ', and the ids of your orders' : ''}.
      </p>
      <AgesOf ages={ages} />
    </>
  );
}

interface SearchProps extends Pick<SearchBoxProps, 'start' | 'typed'> {
  readonly choose: (choice: Choice) => void;
}

/** What is typed, what it finds, and which line of that the keyboard is on; -1 for none. */
function useTyping({ start, typed: before, choose }: SearchProps) {
  const shown = useSearch({ from: '/inside/markets', shouldThrow: false });
  const first = start === 'commands' ? 0 : -1;
  const [typed, setTyped] = useState(before !== '' || start === 'commands' ? before : (shown?.search ?? ''));
  const [active, setActive] = useState(first);
  const commands = useCommands();
  const [isEntered, setEntered] = useState(false);
  const text = typed.trim();
  const suggestions = useSuggestions(text);
  const { found, error, isAnswered } = suggestions;
  const choices = choicesOf(text, found, commands);
  /** What is still wanted: null once the box is closed. */
  const wanted = useRef<string | null>(null);
  useEffect(() => {
    wanted.current = text;
    return () => {
      wanted.current = null;
    };
  }, [text]);
  useEffect(() => {
    if (!isEntered || !(isAnswered || error !== null)) return;
    setEntered(false);
    void chosenBy(text, found).then((choice) => {
      if (wanted.current === text) choose(choice);
    });
  });
  const type = (value: string): void => {
    setTyped(value);
    setActive(first);
    setEntered(false);
  };
  const move = (step: number): void => {
    // Between the last line and the first is the field itself.
    const places = choices.length + 1;
    setActive(((active + 1 + step + places) % places) - 1);
  };
  const enter = (): void => {
    const choice = choices[active];
    if (choice !== undefined) choose(choice);
    else if (mayNameOrder(text)) setEntered(true);
    else if (text !== '') choose({ kind: 'all', text });
  };
  return { ...suggestions, typed, text, active, isEntered, choices, type, move, enter };
}

type Typing = ReturnType<typeof useTyping>;

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

function Field({ typed, choices, active, type, move, enter }: Typing): ReactNode {
  const press = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step !== undefined) move(step);
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) enter();
    else return;
    event.preventDefault();
  };
  return (
    <input
      className={ui.input}
      type="text"
      role="combobox"
      aria-label="Markets by words, markets and orders by id, commands"
      aria-autocomplete="list"
      aria-expanded={choices.length > 0}
      aria-controls={LIST}
      aria-activedescendant={choices[active] === undefined ? undefined : lineId(active)}
      placeholder="fed december"
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={LONGEST}
      value={typed}
      onChange={({ target }) => {
        type(target.value);
      }}
      onKeyDown={press}
    />
  );
}

function lineId(index: number): string {
  return `${LIST}-${index}`;
}

const HINT =
  'Words in any order, a ticker, the id of a market or an order, or a command. Keys: / or Ctrl K open this, g and a letter a page, ? all keys.';

function saidOf({ text, isEntered, isAnswered, found, choices }: Typing): string {
  if (text === '') return HINT;
  if (isEntered) return 'Looking…';
  return found !== undefined && isAnswered
    ? countOf(found, choices.filter(({ kind }) => kind === 'command').length)
    : '';
}

/** The field, and under it what it finds, and what can be done. */
function Search(props: SearchProps): ReactNode {
  const { choose } = props;
  const typing = useTyping(props);
  const { text, active, choices, found, error, refetch } = typing;
  return (
    <>
      <div className={css.head}>
        <Field {...typing} />
        <Dialog.Close className={buttonClass('plain', 'small')}>Close</Dialog.Close>
      </div>
      <p className={css.said} role="status">
        {saidOf(typing)}
      </p>
      {error === null ? null : <FailureNotice error={error} onRetry={() => void refetch()} />}
      {found?.isOrderUnread === true ? (
        <p className={ui.hint}>Your orders could not be looked through just now.</p>
      ) : null}
      {found !== undefined && choices.length === 0 && error === null ? <Nothing text={text} ages={found.ages} /> : null}
      <div id={LIST} role="listbox" aria-label="Found" hidden={choices.length === 0}>
        {choices.map((choice, index) => (
          <ChoiceLine
            key={index}
            id={lineId(index)}
            choice={choice}
            isActive={index === active}
            onChoose={() => {
              choose(choice);
            }}
          />
        ))}
      </div>
    </>
  );
}

/** The box itself: it stands at the top, so that nothing jumps as it fills. */
export default function SearchBox({ start, typed, isOpen, onOpenChange, onStopAll }: SearchBoxProps): ReactNode {
  const popup = useRef<HTMLDivElement>(null);
  /** Whether it led to another page or a question, which then has the focus. */
  const isGone = useRef(false);
  const go = useGo(onStopAll);
  return (
    <Dialog.Root
      open={isOpen}
      onOpenChange={(open) => {
        isGone.current = false;
        onOpenChange(open);
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup
          ref={popup}
          className={css.box}
          initialFocus={() => {
            const field = popup.current?.querySelector('input');
            // Now, and not with the next frame: what is typed right after the key that opened it is no part of the page. The
            // text of the page is selected, for the next letter to replace it; what was typed stays.
            field?.focus();
            field?.setSelectionRange(typed === '' ? 0 : field.value.length, field.value.length);
            return field ?? true;
          }}
          finalFocus={() => !isGone.current}
        >
          <Dialog.Title className={css.title}>Search</Dialog.Title>
          <Search
            start={start}
            typed={typed}
            choose={(choice) => {
              isGone.current = go(choice);
              onOpenChange(false);
            }}
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
