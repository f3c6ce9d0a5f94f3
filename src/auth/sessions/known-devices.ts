import { Injectable } from '@nestjs/common';
import { networkOf } from '../../platform/limits/client-network.js';
import { currentRequest } from '../../platform/http/request-context.js';
import { KnownDevicesRepository } from './known-devices.repository.js';

const MAX_DEVICE = 200;

/** A client without its version numbers, so that an update does not make it a new one. */
function deviceOf(userAgent: string): string {
  return userAgent.replaceAll(/\d[\d._]*/g, '').slice(0, MAX_DEVICE);
}

/** Tells devices that signed in before, or reset the password, from new ones. */
@Injectable()
export class KnownDevices {
  constructor(private readonly devices: KnownDevicesRepository) {}

  /** Notes the current request's sign-in; true where its device is new to an account that has others. */
  note(userId: string): Promise<boolean> {
    const request = currentRequest();
    return this.devices.note(userId, networkOf(request?.ip ?? ''), deviceOf(request?.userAgent ?? ''));
  }

  /** For an account that changes hands (S-12, S-24). */
  forget(userId: string): Promise<void> {
    return this.devices.forget(userId);
  }
}
