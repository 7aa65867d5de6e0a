/** Processes items in parallel, `jobs` at a time. After a failure, doesn't start further items. */
export async function inParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  jobs: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let reading: Promise<unknown> = Promise.resolve();
  let hasFailed = false;
  // Reads the items one at a time, because the pages of a listing must be read in sequence.
  const take = (): Promise<IteratorResult<T>> => {
    const next = reading.then(() => iterator.next());
    reading = next.catch(() => undefined);
    return next;
  };
  const worker = async (): Promise<void> => {
    try {
      while (!hasFailed) {
        const { done, value } = await take();
        if (done === true) return;
        await work(value);
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  const results = await Promise.allSettled(Array.from({ length: jobs }, worker));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
