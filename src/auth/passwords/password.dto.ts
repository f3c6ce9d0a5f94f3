import { EmailField } from '../../platform/http/email-address.js';
import { MailTokenField } from '../tokens/token-field.js';
import { NewPasswordField } from './password-fields.js';

export class ForgotPasswordDto {
  @EmailField()
  email: string;
}

export class ResetPasswordDto {
  @MailTokenField()
  token: string;

  @NewPasswordField('seven lanterns over a quiet river')
  new_password: string;
}
