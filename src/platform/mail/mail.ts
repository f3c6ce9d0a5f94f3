/** What a mail says; the layout makes a text and an HTML part of it (S-46). */
export interface MailContent {
  /** One line. */
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** Stands alone on its line. */
  readonly link?: { readonly label: string; readonly url: string };
  /** What happened, when, from where. */
  readonly facts?: readonly (readonly [label: string, value: string])[];
  readonly closing?: readonly string[];
}

/** A mail as it leaves. */
export interface RenderedMail {
  readonly id: string;
  /** One address in canonical form (S-8). */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A row of the outbox: a wish to mail somebody, of which its author makes a mail, or none, when its time comes (S-6). */
export interface MailJob {
  readonly id: string;
  readonly kind: string;
  readonly recipient: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The running attempt, from 1. */
  readonly attempts: number;
  readonly createdAt: Date;
}

/** Whoever asks for mails of a kind also writes them. */
export interface MailAuthor {
  /** Null where no mail is to be sent. Called at every attempt, so that a token is made only when it is mailed. */
  compose(job: MailJob): Promise<MailContent | null>;
}

/** The way out: an SMTP server or files. */
export interface MailTransport {
  send(mail: RenderedMail): Promise<void>;
}
