/** The requests of a resumable upload go to three nodes in turn, one of which is killed. */
import { createHash, randomBytes } from 'node:crypto';
import type { Line } from '../report.ts';
import { inWorld } from '../world.ts';

/** Less than the default limit for a file, which is 50 MiB. */
const sizeBytes = 45 * 1024 * 1024;
const chunkBytes = 6 * 1024 * 1024;
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const upload: Line = {
  name: 'upload',
  title: 'A resumable upload is sent to three nodes in turn, and one of them is killed',
  run: (check) =>
    inWorld({}, async ({ nodes, keys }) => {
      const body = randomBytes(sizeBytes);
      const headers = {
        authorization: `Bearer ${keys.SECRET_KEY}`,
        apikey: keys.SECRET_KEY,
        'tus-resumable': '1.0.0',
      };
      const [one] = nodes;
      const made = await fetch(`${one.url}/storage/v1/bucket`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'drill' }),
      });
      if (!made.ok) throw new Error(`The bucket was not created: ${await made.text()}`);
      const text = (value: string): string => Buffer.from(value).toString('base64');
      const created = await fetch(`${one.url}/storage/v1/upload/resumable`, {
        method: 'POST',
        headers: {
          ...headers,
          'upload-length': String(sizeBytes),
          'upload-metadata': `bucketName ${text('drill')},objectName ${text('large.bin')}`,
        },
      });
      if (created.status !== 201) throw new Error(`The upload was not created: ${await created.text()}`);
      const path = new URL(created.headers.get('location') ?? '').pathname;
      let offset = 0;
      let repeated = 0;
      for (let request = 0; offset < sizeBytes; request++) {
        const running = nodes.filter((node) => node.isRunning());
        const node = running[request % running.length] ?? one;
        const url = `${node.url}${path}`;
        const isKilled = request === 4;
        const sending = fetch(url, {
          method: 'PATCH',
          headers: {
            ...headers,
            'upload-offset': String(offset),
            'content-type': 'application/offset+octet-stream',
          },
          body: new Uint8Array(body.subarray(offset, offset + chunkBytes)),
        }).catch(() => undefined);
        if (isKilled) await node.kill();
        const response = await sending;
        if (response?.status === 204) {
          offset = Number(response.headers.get('upload-offset'));
          continue;
        }
        // The client asks another node for the offset, and continues there.
        const other = running.find((each) => each.isRunning() && each !== node) ?? one;
        const asked = await fetch(`${other.url}${path}`, { method: 'HEAD', headers });
        if (asked.status !== 200) throw new Error(`HEAD on another node: ${asked.status}`);
        const known = Number(asked.headers.get('upload-offset'));
        repeated += Math.max(0, Math.min(offset + chunkBytes, sizeBytes) - known);
        offset = known;
        if (request > 100) throw new Error('The upload does not advance.');
      }
      const alive = nodes.filter((node) => node.isRunning());
      const hashes = await Promise.all(
        alive.map(async ({ url }) => {
          const response = await fetch(`${url}/storage/v1/object/authenticated/drill/large.bin`, { headers });
          return hashOf(new Uint8Array(await response.arrayBuffer()));
        }),
      );
      const isEqual = hashes.every((hash) => hash === hashOf(body));
      check({
        name: 'the object on the remaining nodes',
        figure: `${isEqual ? 'equal' : 'different'} hash, ${(repeated / 1024 / 1024).toFixed(1)} MiB sent again`,
        limit: 'an equal hash',
        isMet: isEqual && alive.length === 2,
      });
    }),
};
