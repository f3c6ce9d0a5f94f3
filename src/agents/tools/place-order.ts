import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { PreviewPlacing } from '../previews/preview-placing.js';
import { FATE, PREVIEW_ID, told } from '../previews/preview-shapes.js';
import type { BotCaller, Tool } from '../tool.js';

const INPUT = z.object({ preview_id: PREVIEW_ID });

/** A preview, as an order. */
@Injectable()
export class PlaceOrderTool implements Tool<typeof INPUT> {
  readonly name = 'place_order';
  readonly scope = 'trade';
  readonly effect = 'order';
  readonly description =
    'Places the order of a preview, within 60 seconds of it and within your limits; this spends money where the mode is live. Calling it ' +
    'again with the same preview_id never makes a second order, but for 10 minutes sends one that was refused or not sent: where the answer is lost or ' +
    'not known, do that or call get_order, and preview nothing new.';
  readonly input = INPUT;
  readonly output = FATE;

  constructor(private readonly placing: PreviewPlacing) {}

  async run(caller: BotCaller, { preview_id: id }: z.output<typeof INPUT>): Promise<object> {
    return told(await this.placing.place(caller, id));
  }
}
