import type { MailContent } from '../platform/mail/mail.js';

/** `2026-01-31 12:00 UTC` */
function atMinute(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** For the owner of a bot that ends soon. */
export function endingBotText({ id, name, expiresAt }: { id: string; name: string; expiresAt: Date }): MailContent {
  const at = atMinute(expiresAt);
  return {
    subject: 'One of your bots ends within 3 days',
    paragraphs: [
      `The bot named below ends on ${at}. From then on its keys are refused, and it is halted.`,
      `To let it go on, set a later end (PATCH /account/bots/${id}).`,
    ],
    facts: [
      [
        ['Bot', name],
        ['Id', id],
        ['Ends', at],
      ],
    ],
    closing: ['If you do not want it to go on, there is nothing to do: it ends by itself.'],
  };
}
