import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { botIdOf, type Principal } from '../../access/principal.js';
import { AuthenticatedText } from '../../platform/crypto/authenticated-text.js';
import { badField } from '../../platform/errors/app-error.js';

/** Of one stream with the fills of every exchange. */
const LONGEST_ID = 8_192;

const ID = z.object({ s: z.literal(1), u: z.string(), b: z.string().nullable(), p: z.record(z.string(), z.unknown()) });

/** The ids of messages behind which a client may go on: where each line is, for nobody but the same user or bot (contract.md 5.14). */
@Injectable()
export class StreamIds {
  constructor(private readonly texts: AuthenticatedText) {}

  /** `positions` by the name of their line. */
  write(caller: Principal, positions: Readonly<Record<string, unknown>>): string {
    return this.texts.encode({ s: 1, u: caller.userId, b: botIdOf(caller), p: positions });
  }

  /** Returns the positions by the name of their line; throws `bad_request` for an id that is not this caller's. */
  read(text: string, caller: Principal): Readonly<Record<string, unknown>> {
    const { data } = ID.safeParse(text.length > LONGEST_ID ? null : this.texts.decode(text));
    if (data?.u === caller.userId && data.b === botIdOf(caller)) return data.p;
    throw badField('Last-Event-ID', 'must be the id of a message that you were sent');
  }
}
