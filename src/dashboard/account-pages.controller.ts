import { applyDecorators, Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../access/access.decorators.js';
import { RESET_PAGE, SCRIPT, STYLE, VERIFY_PAGE } from './account-pages.assets.js';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** A file that anybody may read, under a policy that lets the page run its own script and nothing else (S-42). */
function Page(path: string, type: string): MethodDecorator {
  return applyDecorators(
    Public(),
    Get(path),
    Header('Content-Type', `${type}; charset=utf-8`),
    Header('Content-Security-Policy', POLICY),
    Header('Cache-Control', 'no-store'),
  );
}

/** The pages behind the links in mails (contract.md 4). */
@ApiExcludeController()
@Controller('dashboard')
export class AccountPagesController {
  @Page('verify-email', 'text/html')
  verifyEmail(): string {
    return VERIFY_PAGE;
  }

  @Page('reset-password', 'text/html')
  resetPassword(): string {
    return RESET_PAGE;
  }

  @Page('account-pages.js', 'text/javascript')
  script(): string {
    return SCRIPT;
  }

  @Page('account-pages.css', 'text/css')
  style(): string {
    return STYLE;
  }
}
