/** An object's bucket, and its key in the bucket. */
export interface ObjectAddress {
  readonly bucketId: string;
  readonly key: string;
}
