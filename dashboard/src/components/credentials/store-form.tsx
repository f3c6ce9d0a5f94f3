import type { ReactNode } from 'react';
import { type Credentials, storeCredentials } from '../../api/credentials.js';
import { Failure } from '../../api/failure.js';
import type { Exchange } from '../../installation.js';
import { announce } from '../announcer.js';
import { CallForm } from '../form.js';
import { Button, ui } from '../ui.js';
import css from './credentials.module.css';
import { SandboxNote } from './sandbox-note.js';
import { useTakenFocus } from '../use-taken-focus.js';

export interface FormProps {
  /** Once they are stored, or the person has thought better of it. */
  readonly onDone: () => void;
}

interface StoreFormProps extends FormProps {
  readonly exchange: Exchange;
  /** What to look at where the exchange refuses. */
  readonly ifRefused: string;
  readonly bodyOf: (field: (name: string) => string) => Credentials;
  readonly children: ReactNode;
}

/** In the terms of this form: nothing is stored yet that could be replaced. */
function inTermsOfForm(error: unknown, { exchange: { name }, ifRefused }: StoreFormProps): unknown {
  if (!(error instanceof Failure) || error.code !== 'credentials_rejected') return error;
  return error.inWords(`${name} refused these credentials, so nothing was changed. ${ifRefused}`);
}

/** Tries credentials at the exchange and stores them; the fields are gone with the form. */
export function StoreForm(props: StoreFormProps): ReactNode {
  const { exchange, bodyOf, onDone, children } = props;
  const { id, name } = exchange;
  const store = async (field: (name: string) => string): Promise<void> => {
    const isTried = field('try') !== '';
    try {
      await storeCredentials(id, bodyOf(field), isTried);
    } catch (error) {
      throw inTermsOfForm(error, props);
    }
    announce(
      isTried
        ? `${name} accepted the credentials. They are stored encrypted, and never shown again.`
        : `The ${name} credentials are stored encrypted, and never shown again. Verify them once ${name} answers.`,
    );
    onDone();
  };
  return (
    <div ref={useTakenFocus<HTMLDivElement>()} className={ui.stack}>
      <SandboxNote exchange={exchange} />
      <CallForm action="Store the credentials" onSend={store}>
        {children}
        <label className={css.check}>
          <input type="checkbox" name="try" defaultChecked />
          <span>
            Try them at {name} first
            <span className={ui.hint}>
              {' '}
              One signed read, which changes nothing there. Only without it can you store while {name} is out of reach.
            </span>
          </span>
        </label>
      </CallForm>
      <div>
        <Button isSmall onClick={onDone}>
          Do not store
        </Button>
      </div>
    </div>
  );
}
