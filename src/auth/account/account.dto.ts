import { NewPasswordField, PasswordField } from '../passwords/password-fields.js';
import type { PasswordChange } from '../passwords/password-change.service.js';

export class ChangePasswordDto {
  @PasswordField('The password until now.')
  current_password: string;

  @NewPasswordField('seven lanterns over a quiet river')
  new_password: string;
}

export function toPasswordChange(body: ChangePasswordDto): PasswordChange {
  return { currentPassword: body.current_password, newPassword: body.new_password };
}

export class DeleteAccountDto {
  @PasswordField('Your password; set one by a reset first if you have none.')
  password: string;
}
