import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail server on loopback that wants a password, and keeps what it is given. */
export class MailSink {
  readonly mails: { readonly to: string; readonly text: string }[] = [];
  readonly #server: SMTPServer;

  constructor(user: string, password: string) {
    this.#server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (given, _session, done) => {
        const isKnown = given.username === user && given.password === password;
        done(isKnown ? null : new Error('wrong password'), { user });
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const text = Buffer.concat(chunks).toString().replaceAll(/=\r\n/g, '').replaceAll('=3D', '=');
          this.mails.push({ to: session.envelope.rcptTo[0]?.address ?? '', text });
          done();
        });
      },
    });
    this.#server.on('error', () => undefined);
  }

  /** Starts it; returns its port. */
  async listen(): Promise<number> {
    await new Promise<void>((done) => {
      this.#server.listen(0, '127.0.0.1', done);
    });
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** The newest token that was mailed to an address in a link; null where there is none yet. */
  tokenFor(email: string): string | null {
    const mail = this.mails.findLast(({ to, text }) => to === email && text.includes('#token='));
    return /#token=([\w-]{43})/.exec(mail?.text ?? '')?.[1] ?? null;
  }

  close(): Promise<void> {
    return new Promise((done) => {
      this.#server.close(done);
    });
  }
}
