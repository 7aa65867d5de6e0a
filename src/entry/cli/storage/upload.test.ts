import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createServer } from '../../../base/kernel/http.ts';
import { createStorageApi } from './api.ts';
import { uploadFile } from './upload.ts';

const mebibyte = 1024 * 1024;

/** Starts a storage service that stores only the first half of the first piece, and then closes the connection. */
async function unreliableServer() {
  const stored: Buffer[] = [];
  const requests: string[] = [];
  const size = () => stored.reduce((sum, { length }) => sum + length, 0);
  let isBroken = true;
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    requests.push(`${request.method} ${request.headers['upload-offset'] ?? ''}`.trim());
    if (request.method === 'POST') {
      response.writeHead(201, { location: 'http://elsewhere.example/storage/v1/upload/resumable/1' }).end();
    } else if (request.method === 'HEAD') {
      response.writeHead(200, { 'upload-offset': size() }).end();
    } else {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const piece = Buffer.concat(chunks);
        stored.push(isBroken ? piece.subarray(0, piece.length / 2) : piece);
        if (isBroken) request.socket.destroy();
        else response.writeHead(204, { 'upload-offset': size() }).end();
        isBroken = false;
      });
    }
  };
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { apiUrl, requests, content: () => Buffer.concat(stored) };
}

function fileWith(content: Uint8Array): string {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-upload-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'a.bin'), content);
  return join(dir, 'a.bin');
}

test('after a lost connection, an upload resumes at the offset that the service reports, at its original URL', async () => {
  const { apiUrl, requests, content } = await unreliableServer();
  const bytes = Buffer.alloc(8 * mebibyte, 'plinth');
  const api = createStorageApi({ apiUrl, serviceKey: 'key' });
  let sent = 0;
  const upload = {
    file: fileWith(bytes),
    bucket: 'b',
    key: 'a.bin',
    upsert: false,
    cacheControl: 'max-age=60',
  };
  await uploadFile(api, upload, {
    onBytes: (count) => {
      sent += count;
    },
  });
  expect(content().equals(bytes)).toBe(true);
  expect(sent).toBe(bytes.length);
  expect(requests).toEqual(['POST', 'PATCH 0', 'HEAD', `PATCH ${3 * mebibyte}`]);
});

test('if a service rejects the upload, it isn’t retried', async () => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.method ?? '');
    request.resume();
    response.writeHead(413, { 'content-type': 'text/plain' }).end('Maximum size exceeded\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const api = createStorageApi({ apiUrl, serviceKey: 'key' });
  const upload = { bucket: 'b', key: 'a', upsert: true, cacheControl: 'max-age=60' };
  const file = fileWith(Buffer.alloc(7 * mebibyte));
  await expect(uploadFile(api, { ...upload, file }, { onBytes() {} })).rejects.toThrow(
    'Storage: Maximum size exceeded',
  );
  expect(requests).toEqual(['POST']);
});
