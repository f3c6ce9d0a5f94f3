import type { Secret } from '../secrets/secret.js';
import type { MailTransport, RenderedMail } from './mail.js';
import { toMessage } from './mail-message.js';

const CONNECTION_MS = 5_000;
const GREETING_MS = 5_000;
const SOCKET_MS = 10_000;

/** Sends through an SMTP server; every wait has a limit. */
export class SmtpTransport implements MailTransport {
  readonly #url: Secret;

  constructor(
    url: Secret,
    private readonly from: string,
  ) {
    this.#url = url;
  }

  async send(mail: RenderedMail): Promise<void> {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      url: this.#url.reveal(),
      connectionTimeout: CONNECTION_MS,
      greetingTimeout: GREETING_MS,
      dnsTimeout: CONNECTION_MS,
      socketTimeout: SOCKET_MS,
    });
    try {
      await transport.sendMail(toMessage(mail, this.from));
    } finally {
      transport.close();
    }
  }
}
