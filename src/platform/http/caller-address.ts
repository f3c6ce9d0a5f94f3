import type { Request } from 'express';
import { addressIn } from '../limits/client-network.js';

/** As proxies report it; where that is no address, the one that the connection came from (S-26). */
export function callerAddress(request: Pick<Request, 'ip' | 'socket'>): string {
  return addressIn(request.ip ?? '') ?? request.socket.remoteAddress ?? '';
}
