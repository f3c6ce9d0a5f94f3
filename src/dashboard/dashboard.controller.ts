import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Mode } from '../exchanges/unified.words.js';
import { Public } from '../access/access.decorators.js';
import { AppError } from '../platform/errors/app-error.js';
import { BuiltFiles } from './built-files.js';
import { InstallationService } from './installation.service.js';

/** The page runs its own script and nothing else, and that may put no text where it would become code (S-42). */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const A_YEAR = 'public, max-age=31536000, immutable';

/** Placeholder in the page for the facts of this installation: a block of JSON, which no browser runs. */
const PLACE = '<!--installation-->';

/** Placeholder in the page for the ribbon that says what this installation is until the script has loaded. */
const RIBBON = '<!--ribbon-->';
const MEANING: Readonly<Record<Mode, string>> = {
  sandbox: '<strong>SANDBOX</strong>Play money. No order leaves this machine.',
  live: '<strong>LIVE</strong>Real money.',
};

function ribbonOf(mode: Mode): string {
  return `<div class="before-ribbon" data-mode="${mode}">${MEANING[mode]}</div>`;
}

/** As JSON that cannot end the element it stands in. */
function dataBlock(value: object): string {
  const json = JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
  return `<script type="application/json" id="installation">${json}</script>`;
}

function missing(): AppError {
  return new AppError('not_found', 'There is no such file of the dashboard.');
}

/** The dashboard: its assets, and one page for every other address below `/dashboard` (contract.md 8). */
@ApiExcludeController()
@Controller('dashboard')
export class DashboardController {
  #files: BuiltFiles | undefined;
  #page: Buffer | undefined;

  constructor(private readonly installation: InstallationService) {}

  @Public()
  @Get('assets/:name')
  asset(@Param('name') name: string, @Req() request: Request, @Res() response: Response): void {
    const asset = this.#built().asset(name);
    if (asset === undefined) throw missing();
    response.setHeader('Content-Security-Policy', POLICY);
    response.setHeader('Cache-Control', A_YEAR);
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('Content-Type', asset.type);
    const encoded = asset.encoded.find(({ name: encoding }) => request.acceptsEncodings(encoding) !== false);
    if (encoded !== undefined) response.setHeader('Content-Encoding', encoded.name);
    response.send(encoded?.content ?? asset.plain);
  }

  @Public()
  @Get(['', '*path'])
  page(@Query() _forTheBrowser: unknown, @Req() { path }: Request, @Res() response: Response): void {
    if (path.startsWith('/dashboard/assets')) throw missing();
    response.setHeader('Content-Security-Policy', POLICY);
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.send(this.#pageOf());
  }

  #pageOf(): Buffer {
    this.#page ??= Buffer.from(this.#madePage());
    return this.#page;
  }

  #madePage(): string {
    const installation = this.installation.describe();
    const page = this.#built().page.replace(PLACE, () => dataBlock(installation));
    return page.replace(RIBBON, () => ribbonOf(installation.mode));
  }

  /** Read with the first request: commands that share the application serve none. */
  #built(): BuiltFiles {
    this.#files ??= new BuiltFiles();
    return this.#files;
  }
}
