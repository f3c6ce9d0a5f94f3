import type { Request } from 'express';
import { addressIn } from '../limits/client-network.js';

/** The address that proxies report; where that is none, the address of the connection (S-26). */
export function callerAddress(request: Pick<Request, 'ip' | 'socket'>): string {
  return addressIn(request.ip ?? '') ?? request.socket.remoteAddress ?? '';
}
