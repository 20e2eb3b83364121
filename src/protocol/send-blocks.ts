import { digestBytes } from '../study/digest.ts';
import type { SealedReceipt } from './messages.ts';
import { NetworkFailure } from './network-failure.ts';
import { Refusal } from './refusal.ts';
import type { Upload } from './upload-message.ts';

/** The operations by which a large file is sent. */
export interface BlockCalls {
  upload(file: string): Promise<Upload>;
  sendBlock(file: string, block: number, body: Uint8Array): Promise<Upload>;
  contributeBlocks(file: string): Promise<SealedReceipt>;
}

/** Hears how much of a large file has arrived. */
export type UploadProgress = (arrivedBytes: number, bytes: number) => void;

/** Fewest bytes of a block that a coordinator may ask for. */
const SHORTEST = 256;

/**
 * Sends a large file in blocks, from the first one that has not arrived, and then contributes it. Undefined if it is no longer
 * than a block, or if the coordinator is an older one, which takes only whole files.
 */
export async function sendInBlocks(
  calls: BlockCalls,
  file: Uint8Array,
  progress: UploadProgress = () => {},
): Promise<SealedReceipt | undefined> {
  const name = digestBytes(file).slice('sha256:'.length);
  const begun = await calls.upload(name).catch((failure: unknown) => {
    if (failure instanceof Refusal && failure.code === 'not-found') return undefined;
    throw failure;
  });
  if (begun === undefined) return undefined;
  const { blockBytes } = begun;
  const count = Math.ceil(file.length / blockBytes);
  if (count <= 1) return undefined;
  if (blockBytes < SHORTEST || begun.blocks > count) throw strangeUpload();
  for (let next = begun.blocks; next < count; ) {
    progress(next * blockBytes, file.length);
    const block = file.subarray(next * blockBytes, (next + 1) * blockBytes);
    const { blocks } = await calls.sendBlock(name, next, block);
    if (blocks <= next || blocks > count) throw strangeUpload();
    next = blocks;
  }
  progress(file.length, file.length);
  return calls.contributeBlocks(name);
}

function strangeUpload(): NetworkFailure {
  return new NetworkFailure(
    'the coordinator says of the upload what cannot be',
    'join again; if it stays so, ask the operator of the coordinator',
  );
}
