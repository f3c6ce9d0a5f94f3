import { Injectable } from '@nestjs/common';
import { Eta } from 'eta';
import type { MailContent, MailJob, RenderedMail } from './mail.js';

const SIGNATURE = '-- \nTrading Proxy\n';

/** Blocks with a blank line between them: the link alone on its line (contract.md 4), one fact a line, a group for each event. */
function textOf({ paragraphs, link, facts = [], closing = [] }: MailContent): string {
  const blocks = [
    ...paragraphs,
    ...(link === undefined ? [] : [`${link.label}:`, link.url]),
    ...facts.map((group) => group.map(([label, value]) => `${label}: ${value}`).join('\n')),
    ...closing,
    SIGNATURE,
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

const HTML = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title><%= it.subject %></title></head>
<body style="margin:0;padding:24px;font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;color:#1b1f24;background:#fff">
<div style="max-width:560px;margin:0 auto">
<h1 style="font-size:20px"><%= it.subject %></h1>
<% it.paragraphs.forEach((paragraph) => { %>
<p><%= paragraph %></p>
<% }) %>
<% if (it.link) { %>
<p><a href="<%= it.link.url %>" style="display:inline-block;padding:10px 18px;border-radius:6px;background:#1f5fbf;color:#fff;text-decoration:none"><%= it.link.label %></a></p>
<p style="font-size:13px;color:#57606a">Or open this address:<br><%= it.link.url %></p>
<% } %>
<% it.facts.forEach((group) => { %>
<table style="border-collapse:collapse;margin:0 0 16px">
<% group.forEach(([label, value]) => { %>
<tr><td style="padding:2px 16px 2px 0;color:#57606a"><%= label %></td><td><%= value %></td></tr>
<% }) %>
</table>
<% }) %>
<% it.closing.forEach((paragraph) => { %>
<p><%= paragraph %></p>
<% }) %>
<p style="font-size:13px;color:#57606a">Trading Proxy</p>
</div>
</body>
</html>
`;

/** Makes the text and the HTML part of every mail; in the HTML part whatever is put in is escaped (S-46). */
@Injectable()
export class MailLayout {
  readonly #html = new Eta({ autoEscape: true, autoTrim: [false, 'nl'] });

  render(job: MailJob, content: MailContent): RenderedMail {
    const data = { facts: [], closing: [], ...content };
    return {
      id: job.id,
      to: job.recipient,
      subject: content.subject,
      text: textOf(content),
      html: this.#html.renderString(HTML, data),
    };
  }
}
