import { type ReactNode, useState } from 'react';
import { type Bot, useHaltBot, useRemoveBot, useResumeBot, useRotateBot } from '../../api/bots.js';
import { announce, RESULT } from '../announcer.js';
import { Confirm } from '../confirm.js';
import { ForeignText } from '../foreign-text.js';
import { HALT_RESULT } from './halt-report.js';
import { Select } from '../select.js';
import { restOfHalt } from './words.js';

interface ActionProps {
  readonly bot: Bot;
}

interface QuestionProps {
  readonly trigger: string;
  readonly title: string;
  readonly action: string;
  readonly busy: string;
  readonly keep: string;
  readonly resultId?: string;
  readonly change: {
    readonly isPending: boolean;
    readonly error: unknown;
    readonly reset: () => void;
  };
  /** Does it; calls `done` with what is to be said then. */
  readonly onConfirm: (done: (said: string) => void) => void;
  readonly children: ReactNode;
}

/** One question; once it is done, that is said. */
function Question({ change, onConfirm, resultId = RESULT, children, ...words }: QuestionProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <Confirm
      {...words}
      resultId={resultId}
      isOpen={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        if (!change.isPending) change.reset();
      }}
      isPending={change.isPending}
      error={change.error}
      onConfirm={() => {
        onConfirm((said) => {
          setOpen(false);
          announce(said);
        });
      }}
    >
      {children}
    </Confirm>
  );
}

export function HaltBot({ bot }: ActionProps): ReactNode {
  const halt = useHaltBot(bot);
  const isGoingOn = bot.halted !== null;
  return (
    <Question
      trigger={isGoingOn ? 'Cancel the rest' : 'Halt'}
      title={`Halt the bot “${bot.name}”?`}
      action="Halt it now"
      busy="Halting, up to 30 s…"
      keep={isGoingOn ? 'Leave it' : 'Let it go on'}
      resultId={HALT_RESULT}
      change={halt}
      onConfirm={(done) => {
        halt.mutate(undefined, {
          onSuccess: () => {
            done(`The bot “${bot.name}” is halted. It sends no order until you resume it.`);
          },
        });
      }}
    >
      <p>
        From now on no order of it begins, and its open orders are cancelled. What has filled stays filled. Its program
        may still read and cancel.
      </p>
    </Question>
  );
}

export function ResumeBot({ bot }: ActionProps): ReactNode {
  const resume = useResumeBot(bot);
  return (
    <Question
      trigger="Resume"
      title={`Resume the bot “${bot.name}”?`}
      action="Resume it now"
      busy="Resuming…"
      keep="Leave it halted"
      change={resume}
      onConfirm={(done) => {
        resume.mutate(undefined, {
          onSuccess: () => {
            done(`The bot “${bot.name}” goes on: it may send orders again.`);
          },
        });
      }}
    >
      <p>
        It may send orders again at once, within its limits.
        {bot.heartbeat === null ? '' : ' Its heartbeat is armed anew for its whole time.'}
      </p>
      {restOfHalt(bot) === null ? null : <p>{restOfHalt(bot)}</p>}
    </Question>
  );
}

const OVERLAPS = [
  ['0', 'At once'],
  ['300', 'In 5 minutes'],
  ['3600', 'In an hour'],
  ['86400', 'In a day'],
] as const;

export function RotateKey({ bot }: ActionProps): ReactNode {
  const [overlap, setOverlap] = useState('0');
  const rotate = useRotateBot(bot);
  return (
    <Question
      trigger="New key"
      title={`Give the bot “${bot.name}” a new key?`}
      action="Make the new key"
      busy="One moment…"
      keep="Keep the key"
      change={rotate}
      onConfirm={(done) => {
        rotate.mutate(Number(overlap), {
          onSuccess: () => {
            done(`The bot “${bot.name}” has a new key. Keep it now: it is shown this once.`);
          },
        });
      }}
    >
      <p>The new key is shown once. Its limits, its orders and its name stay.</p>
      <Select
        label="The key of now ends"
        value={overlap}
        options={OVERLAPS}
        onChange={({ target }) => {
          setOverlap(target.value);
        }}
      />
    </Question>
  );
}

export function RemoveBot({ bot }: ActionProps): ReactNode {
  const remove = useRemoveBot(bot);
  return (
    <Question
      trigger="Remove"
      title={`Remove the bot “${bot.name}”?`}
      action="Remove it for good"
      busy="Removing, up to 30 s…"
      keep="Keep it"
      resultId={HALT_RESULT}
      change={remove}
      onConfirm={(done) => {
        remove.mutate(undefined, {
          onSuccess: () => {
            done(`The bot “${bot.name}” is removed. Nothing accepts its keys any more.`);
          },
        });
      }}
    >
      <p>
        It is halted, its open orders are cancelled, and its keys end for good. What it did stays in your activity, and{' '}
        <ForeignText text={bot.name} form="quoted" /> is free for another bot.
      </p>
    </Question>
  );
}
