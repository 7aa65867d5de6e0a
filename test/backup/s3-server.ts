/** An S3 server for tests that kill its clients. */
import { buffer } from 'node:stream/consumers';
import S3rver from 's3rver';

/**
 * Creates an S3 server that stores its bucket in the folder. Like S3, and unlike s3rver alone, it stores an object only
 * once the whole object has been received, so a killed client never leaves a part of an object.
 */
export function createS3Server(directory: string, bucket: string): S3rver {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket, configs: [] }],
  });
  const { store } = server;
  const put = store.putObject.bind(store);
  store.putObject = async (object) => {
    if (!Buffer.isBuffer(object.content)) object.content = await buffer(object.content);
    return put(object);
  };
  return server;
}
