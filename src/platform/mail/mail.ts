/** Facts that belong together, one a line. */
export type FactGroup = readonly (readonly [label: string, value: string])[];

/** The content of a mail; the layout makes a text and an HTML part of it (S-46). */
export interface MailContent {
  /** One line. */
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** The text part has it alone on a line. */
  readonly link?: { readonly label: string; readonly url: string };
  /** What happened, when, from where: a group for each event. */
  readonly facts?: readonly FactGroup[];
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

/** A row of the outbox: a request for a mail, of which a composer makes one, or none, when its time comes (S-6). */
export interface MailJob {
  readonly id: string;
  readonly kind: string;
  readonly recipient: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The running attempt, from 1. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** Mails of one kind and topic to one address within a minute become one mail; null: never merged. */
  readonly topic: string | null;
  /** Later requests of its topic, which the same mail covers; oldest first. */
  readonly parts: readonly MailPart[];
}

/** A request that became part of an older one's mail. */
export type MailPart = Pick<MailJob, 'data' | 'createdAt'>;

/** Composes mails of a kind; the feature that asks for them registers it. */
export interface MailComposer {
  /** Null where no mail is to be sent. Called at every attempt, so that a token is made only when it is mailed. */
  compose(job: MailJob): Promise<MailContent | null>;
}

/** Sends mails to an SMTP server, or into files. */
export interface MailTransport {
  send(mail: RenderedMail): Promise<void>;
}
