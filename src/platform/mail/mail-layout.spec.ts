import { describe, expect, it } from '@jest/globals';
import { MailLayout } from './mail-layout.js';

const HOSTILE = '<img src=x onerror=alert(1)> "&';

describe('the layout of mails', () => {
  it('S-46 escapes in the HTML part whatever is put in', () => {
    const job = { id: 'mail_1', kind: 'x', recipient: 'a@b.example', data: {}, attempts: 1, topic: null, parts: [] };
    const content = { subject: 'A', paragraphs: [HOSTILE], facts: [[['Label', HOSTILE] as const]], closing: [HOSTILE] };
    const { html, text } = new MailLayout().render({ ...job, createdAt: new Date(0) }, content);
    expect(html.match(/&lt;img src=x onerror=alert\(1\)&gt;/g)).toHaveLength(3);
    expect(html).not.toContain('<img');
    expect(text).toContain(`Label: ${HOSTILE}`);
  });
});
