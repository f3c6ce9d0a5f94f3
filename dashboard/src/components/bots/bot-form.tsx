import { Field } from '@base-ui/react/field';
import { type ReactNode, useContext, useEffect, useRef } from 'react';
import { type Bot, changeBot, makeBot } from '../../api/bots.js';
import { installation } from '../../installation.js';
import { announce, RESULT } from '../announcer.js';
import { useWrong, WrongFields } from '../field-errors.js';
import { CallForm, FieldNotes, TextField } from '../form.js';
import { ScopeChoice } from '../scopes.js';
import { Button, Card, ui } from '../ui.js';
import { useTakenFocus } from '../use-taken-focus.js';
import css from './bots.module.css';
import { changeFrom, EXCHANGE_FIELD, NEW_BOT, termsFrom, type TermsTexts, textsOf } from './terms.js';
import { BUDGETS, ENDING, OTHER_LIMITS } from './words.js';

interface FieldsProps {
  readonly texts: TermsTexts;
}

function LimitFields({ texts, limits }: FieldsProps & { readonly limits: typeof OTHER_LIMITS }): ReactNode {
  return (
    <div className={ui.filters}>
      {limits.map(({ id, label, hint }) => (
        <TextField
          key={id}
          label={label}
          name={`limits.${id}`}
          autoComplete="off"
          required={false}
          defaultValue={texts[`limits.${id}`] ?? ''}
          hint={hint}
        />
      ))}
    </div>
  );
}

function ExchangeFields({ texts }: FieldsProps): ReactNode {
  const error = useWrong('exchanges');
  return (
    <fieldset name="exchanges" className={`${css.fields ?? ''} ${ui.stack ?? ''}`}>
      <legend className={ui.label}>Exchanges</legend>
      {installation.exchanges.map(({ id, name }) => (
        <label key={id} className={ui.check}>
          <input type="checkbox" name={EXCHANGE_FIELD(id)} defaultChecked={texts[EXCHANGE_FIELD(id)] === 'on'} />
          <span>{name}</span>
        </label>
      ))}
      {error === undefined ? null : <span className={ui.wrong}>{error}</span>}
    </fieldset>
  );
}

interface LinesProps extends FieldsProps {
  readonly name: 'markets' | 'allowed_networks';
  readonly label: string;
  readonly hint: string;
}

/** One of a list in each line. */
function Lines({ texts, name, label, hint }: LinesProps): ReactNode {
  const error = useWrong(name);
  return (
    <Field.Root name={name} className={ui.field} invalid={error !== undefined}>
      <Field.Label className={ui.label}>{label}</Field.Label>
      <Field.Control
        className={css.area}
        defaultValue={texts[name] ?? ''}
        autoComplete="off"
        spellCheck={false}
        render={<textarea rows={3} />}
      />
      <FieldNotes hint={hint} error={error} />
    </Field.Root>
  );
}

function EndField({ texts }: FieldsProps): ReactNode {
  const error = useWrong('expires_at');
  return (
    <Field.Root name="expires_at" className={ui.field} invalid={error !== undefined}>
      <Field.Label className={ui.label}>End</Field.Label>
      <Field.Control className={ui.input} type="datetime-local" defaultValue={texts.expires_at ?? ''} />
      <FieldNotes hint="Then it is halted and its keys are refused. Empty is never." error={error} />
    </Field.Root>
  );
}

/** What few bots need; it opens where something in it is wrong. */
function More({ children }: { readonly children: ReactNode }): ReactNode {
  const wrong = useContext(WrongFields);
  const place = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const isInIt = (name: string): boolean => place.current?.querySelector(`[name="${CSS.escape(name)}"]`) !== null;
    if (place.current !== null && Object.keys(wrong).some(isInIt)) place.current.open = true;
  }, [wrong]);
  return (
    <details ref={place} className={css.more}>
      <summary>More limits, markets, networks, end</summary>
      <div className={ui.stack}>{children}</div>
    </details>
  );
}

function TermsFields({ texts }: FieldsProps): ReactNode {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        autoComplete="off"
        defaultValue={texts.name ?? ''}
        maxLength={64}
        hint="For you, to know which program it is."
      />
      <ScopeChoice ids={['read', 'trade']} chosen={texts.scope} />
      <ExchangeFields texts={texts} />
      <LimitFields texts={texts} limits={[...BUDGETS, ENDING]} />
      <More>
        <LimitFields texts={texts} limits={OTHER_LIMITS} />
        <Lines
          texts={texts}
          name="markets"
          label="Markets"
          hint="One a line: the id of the exchange, then market, event or series, then the id of that. Empty is all."
        />
        <Lines
          texts={texts}
          name="allowed_networks"
          label="Networks"
          hint="Addresses and blocks that its keys may be used from, one a line, such as 203.0.113.0/24. Empty is everywhere."
        />
        <EndField texts={texts} />
      </More>
    </>
  );
}

interface FormProps {
  /** Once it is done, or the person has thought better of it. */
  readonly onDone: () => void;
}

/** Says what was done, and gives the focus to what is said, as the form is gone then. */
function end(said: string, onDone: () => void): void {
  announce(said);
  document.getElementById(RESULT)?.focus();
  onDone();
}

export function MakeBot({ onDone }: FormProps): ReactNode {
  return (
    <Card
      title="Make a bot"
      aside={
        <Button isSmall onClick={onDone}>
          Do not make one
        </Button>
      }
    >
      <p className={ui.soft}>
        One program of yours, with a key of its own, limits, and a switch. Fees and what you do by hand are not in its
        limits.
      </p>
      <CallForm
        action="Make the bot"
        onSend={async (field) => {
          const terms = termsFrom(field);
          await makeBot(terms);
          end(`The bot “${terms.name}” is made. Keep its key now: it is shown this once.`, onDone);
        }}
      >
        <div ref={useTakenFocus<HTMLDivElement>()} className={ui.stack}>
          <TermsFields texts={NEW_BOT} />
        </div>
      </CallForm>
    </Card>
  );
}

export function ChangeBot({ bot, onDone }: FormProps & { readonly bot: Bot }): ReactNode {
  // As it was when the form was opened: it is not filled in anew while somebody writes.
  const texts = textsOf(bot);
  return (
    <CallForm
      action="Change the bot"
      onSend={async (field) => {
        const change = changeFrom(texts, field);
        if (Object.keys(change).length > 0) await changeBot(bot.id, change);
        end(`The bot “${change.name ?? bot.name}” is changed as you said.`, onDone);
      }}
    >
      <TermsFields texts={texts} />
      <p className={ui.hint}>An empty limit is none. What you leave as it is stays.</p>
    </CallForm>
  );
}
