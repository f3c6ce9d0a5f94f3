import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { start, untilReady } from '../lib/servers.mjs';

/** One worker that passes everything on to `ports`, over connections that are kept. */
function configuration({ directory, port, ports }) {
  return `
worker_processes 1;
error_log ${directory}/nginx-${port}.log error;
pid ${directory}/nginx-${port}.pid;
events { worker_connections 8192; }
http {
  access_log off;
  client_body_temp_path ${directory}/nginx-body;
  proxy_temp_path ${directory}/nginx-proxy;
  fastcgi_temp_path ${directory}/nginx-fastcgi;
  uwsgi_temp_path ${directory}/nginx-uwsgi;
  scgi_temp_path ${directory}/nginx-scgi;
  keepalive_requests 1000000000;
  upstream servers {
    ${ports.map((each) => `server 127.0.0.1:${each};`).join('\n    ')}
    keepalive 256;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://servers;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_buffers 16 32k;
      proxy_buffer_size 32k;
      proxy_busy_buffers_size 64k;
    }
  }
}
`;
}

/** Starts nginx on `port` in front of `ports`; ready when it passes `path` on. */
export async function startNginx({ directory, port, ports, path, core }) {
  const file = join(directory, `nginx-${port}.conf`);
  await writeFile(file, configuration({ directory, port, ports }));
  const server = start('nginx', ['-c', file, '-g', 'daemon off;'], { core });
  await untilReady(`http://127.0.0.1:${port}${path}`, server);
  return server;
}
