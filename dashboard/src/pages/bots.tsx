import { type ReactNode, useState } from 'react';
import { type Bot, isLiving, type NewBotKey, putNewKeyAway, useBots, useNewBotKeys } from '../api/bots.js';
import { BotCard } from '../components/bots/bot-card.js';
import { MakeBot } from '../components/bots/bot-form.js';
import css from '../components/bots/bots.module.css';
import { restOfHalt } from '../components/bots/words.js';
import { ForeignText } from '../components/foreign-text.js';
import { PageTitle } from '../components/frame.js';
import { NewKey } from '../components/new-key.js';
import { Place } from '../components/place.js';
import { Time } from '../components/time.js';
import { Button, Card, Loaded, ui } from '../components/ui.js';
import { useTakenFocus } from '../components/use-taken-focus.js';

function ShownKey({ made }: { readonly made: NewBotKey }): ReactNode {
  const { botId, name, key, previousValidUntil } = made;
  return (
    <NewKey title={`Key of the bot “${name}”, shown this once`} value={key}>
      {previousValidUntil === null ? null : (
        <p>
          The key before works on until <Time iso={previousValidUntil} />.
        </p>
      )}
      <div>
        <Button
          isSmall
          onClick={() => {
            putNewKeyAway(botId);
          }}
        >
          I have kept it
        </Button>
      </div>
    </NewKey>
  );
}

function Removed({ bots }: { readonly bots: readonly Bot[] }): ReactNode {
  if (bots.length === 0) return null;
  return (
    <details className={`${ui.card ?? ''} ${css.removed ?? ''}`}>
      <summary>
        <h2>Removed in the last 90 days ({bots.length})</h2>
      </summary>
      <ul className={css.orders}>
        {bots.map((bot) => (
          <li key={bot.id}>
            <ForeignText text={bot.name} form="quoted" />
            {bot.halted === null ? '' : <>, stopped {<Time iso={bot.halted.at} />}</>}. {restOfHalt(bot)}
          </li>
        ))}
      </ul>
    </details>
  );
}

function List({ bots, isMaking }: { readonly bots: readonly Bot[]; readonly isMaking: boolean }): ReactNode {
  const living = bots.filter(isLiving);
  return (
    <>
      {living.length === 0 && !isMaking ? (
        <Card title="No bot">
          <p>
            A bot is one program of yours. Give each its own key: you see whose order an order is, you set what it may
            lose, and you stop one without stopping the others.
          </p>
        </Card>
      ) : null}
      {living.length === 0 ? null : (
        <div className={css.list}>
          {living.map((bot) => (
            <Place key={bot.id} id={bot.id}>
              <BotCard bot={bot} />
            </Place>
          ))}
        </div>
      )}
      <Removed bots={bots.filter((bot) => !isLiving(bot))} />
    </>
  );
}

/** In the place of the form. */
function OpenForm({ onOpen }: { readonly onOpen: () => void }): ReactNode {
  return (
    <div>
      <Button ref={useTakenFocus<HTMLButtonElement>()} kind="primary" onClick={onOpen}>
        Make a bot
      </Button>
    </div>
  );
}

/** Bots of the user: their state, their limits, their keys. */
export function BotsPage(): ReactNode {
  const bots = useBots();
  const keys = useNewBotKeys();
  const [isMaking, setMaking] = useState(false);
  return (
    <>
      <PageTitle>Bots</PageTitle>
      {keys.map((made) => (
        <ShownKey key={made.botId} made={made} />
      ))}
      {isMaking ? (
        <MakeBot
          onDone={() => {
            setMaking(false);
          }}
        />
      ) : (
        <OpenForm
          onOpen={() => {
            setMaking(true);
          }}
        />
      )}
      <Loaded query={bots} height={420}>
        {(data) => <List bots={data} isMaking={isMaking} />}
      </Loaded>
    </>
  );
}
