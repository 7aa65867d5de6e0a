/** Sends an object: conditions, range, headers and bytes. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isNotModified, isRangeCurrent } from './core/conditions.ts';
import {
  cacheControl,
  contentDisposition,
  documentPolicy,
  parseDate,
  readObjectMetadata,
  robotsTag,
  shownContentType,
} from './core/object-headers.ts';
import { parseRange } from './core/range.ts';
import { BytesMissingError, StorageError } from './errors.ts';
import type { ObjectRow } from './queries/objects.ts';
import type { DownloadQuery } from './routes/schemas.ts';
import { sendBytes, setHeaders } from './send-bytes.ts';
import type { StorageService } from './service.ts';

/**
 * `expires`: the expiry of a signed URL, which limits caching of the response.
 * @throws {BytesMissingError} before anything is sent
 */
export async function sendObject(
  service: StorageService,
  request: FastifyRequest<{ Querystring: DownloadQuery }>,
  reply: FastifyReply,
  object: ObjectRow,
  expires?: Date,
): Promise<void> {
  const { headers } = request;
  const { log } = service;
  const metadata = readObjectMetadata(object.metadata);
  const current = {
    etag: metadata.eTag,
    lastModified: parseDate(metadata.lastModified ?? object.updated_at ?? undefined),
  };
  const body = await service.backend.open(object.version ?? '');
  if (!body) throw new BytesMissingError();

  try {
    const notModified = isNotModified(headers, current);
    const isStale = headers['if-none-match'] !== undefined && !notModified;
    const contentType = shownContentType(metadata);
    const common = {
      // Also sent with a 304 so that browsers replace their cached policy.
      'content-type': contentType,
      ...documentPolicy(contentType),
      'accept-ranges': 'bytes',
      'x-robots-tag': robotsTag(metadata.xRobotsTag),
      etag: current.etag,
      'last-modified': current.lastModified?.toUTCString(),
      expires: expires?.toUTCString(),
    };
    const lifetime = { 'cache-control': expires ? undefined : cacheControl(metadata.cacheControl, isStale) };
    if (notModified) {
      await body.close();
      await sendBytes(reply, { status: 304, headers: { ...common, ...lifetime } }, undefined, log);
      return;
    }

    const described = {
      ...common,
      'content-disposition': contentDisposition(request.query.download),
    };
    const range = isRangeCurrent(headers, current) ? parseRange(headers.range, body.sizeBytes) : undefined;
    if (range === 'unsatisfiable') {
      setHeaders(reply, { ...described, 'content-range': `bytes */${body.sizeBytes}` });
      reply.type('application/json');
      throw new StorageError('InvalidRange');
    }
    const head = range
      ? {
          status: 206,
          headers: {
            ...described,
            ...lifetime,
            'content-range': `bytes ${range.start}-${range.end}/${body.sizeBytes}`,
            'content-length': range.end - range.start + 1,
          },
        }
      : { status: 200, headers: { ...described, ...lifetime, 'content-length': body.sizeBytes } };
    if (request.method === 'HEAD') {
      await body.close();
      await sendBytes(reply, head, undefined, log);
      return;
    }
    await sendBytes(reply, head, await body.read(range), log);
  } catch (error) {
    await body.close();
    throw error;
  }
}
