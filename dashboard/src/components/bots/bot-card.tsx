import { type ReactNode, useState } from 'react';
import type { Bot } from '../../api/bots.js';
import { Button, Card, ui } from '../ui.js';
import { HaltBot, RemoveBot, ResumeBot, RotateKey } from './actions.js';
import { ChangeBot } from './bot-form.js';
import { BotFacts, BotState, HaltFacts } from './facts.js';
import { Usage } from './usage.js';
import { restOfHalt } from './words.js';

/** One bot: what it is, what it has used, and what can be done with it. */
export function BotCard({ bot }: { readonly bot: Bot }): ReactNode {
  /** The bot as it was when its form was opened. */
  const [changing, setChanging] = useState<Bot | null>(null);
  const close = (): void => {
    setChanging(null);
  };
  return (
    <Card title={bot.name} aside={<BotState state={bot.state} />}>
      <HaltFacts bot={bot} />
      <Usage bot={bot} />
      <BotFacts bot={bot} />
      <div className={ui.row} role="group" aria-label={`What to do with ${bot.name}`}>
        {bot.halted === null || restOfHalt(bot) !== null ? <HaltBot bot={bot} /> : null}
        {bot.halted === null ? null : <ResumeBot bot={bot} />}
        <RotateKey bot={bot} />
        <Button
          isSmall
          aria-expanded={changing !== null}
          onClick={() => {
            setChanging(changing === null ? bot : null);
          }}
        >
          {changing === null ? 'Change' : 'Do not change'}
        </Button>
        <RemoveBot bot={bot} />
      </div>
      {changing === null ? null : <ChangeBot bot={changing} onDone={close} />}
    </Card>
  );
}
