import { constants, createDecipheriv, randomUUID, sign } from 'node:crypto';
import { HttpService } from '@nestjs/axios';
import { Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { firstValueFrom } from 'rxjs';
import { Repository } from 'typeorm';
import type { OrderDto } from './dtos.js';
import { Credential } from './entities.js';

const API = '/trade-api/v2';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ORDERS = `${API}/portfolio/events/orders`;
const KEY = Buffer.from(process.env.BENCH_SEALING_KEY ?? '', 'base64');

interface OpenCredential {
  access_key: string;
  private_key: string;
}

@Injectable()
export class KalshiService {
  constructor(
    private readonly http: HttpService,
    @InjectRepository(Credential) private readonly credentials: Repository<Credential>,
  ) {}

  async orderBook(marketId: string): Promise<unknown> {
    return this.get(`/markets/${encodeURIComponent(marketId)}/orderbook`);
  }

  async markets(query: object): Promise<unknown> {
    return this.get('/markets', query);
  }

  async createOrder(userId: string, order: OrderDto): Promise<unknown> {
    const credential = await this.open(userId);
    const body = {
      ticker: order.market_id,
      client_order_id: order.client_order_id ?? randomUUID(),
      side: order.side === 'buy' ? 'bid' : 'ask',
      count: order.size,
      price: order.price,
      time_in_force: 'good_till_canceled',
      self_trade_prevention_type: 'taker_at_cross',
    };
    const headers = this.signed(credential, 'POST', ORDERS);
    const { data } = await firstValueFrom(this.http.post<unknown>(ORDERS, body, { headers }));
    return data;
  }

  private async get(path: string, params: object = {}): Promise<unknown> {
    const { data } = await firstValueFrom(this.http.get<unknown>(API + path, { params }));
    return data;
  }

  private async open(userId: string): Promise<OpenCredential> {
    const found = await this.credentials.findOneBy({ userId, exchange: 'kalshi' });
    if (found === null) throw new NotFoundException();
    const sealed = Buffer.from(found.sealed, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', KEY, sealed.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const plain = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(plain.toString('utf8')) as OpenCredential;
  }

  private signed(credential: OpenCredential, method: string, path: string): Record<string, string> {
    const timestamp = String(Date.now());
    const signature = sign('sha256', Buffer.from(timestamp + method + path), {
      key: credential.private_key,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    });
    return {
      'KALSHI-ACCESS-KEY': credential.access_key,
      'KALSHI-ACCESS-TIMESTAMP': timestamp,
      'KALSHI-ACCESS-SIGNATURE': signature.toString('base64'),
    };
  }
}
