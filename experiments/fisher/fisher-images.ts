import type { ImageSet } from '../images/image-sets.ts';
import { storedImages } from '../images/image-store.ts';
import { QUICK_IMAGES } from '../images/plan.ts';
import type { FisherPlan } from './plan.ts';
import { sharedImages } from './shared-images.ts';
import type { TaskData } from './task.ts';

/** Data sets that were read; several experiments use the same. */
const read = new Map<string, Promise<TaskData>>();

/** The images of a data set in shared memory; a quick run takes fewer of both parts. */
export function fisherImages(set: ImageSet, { quick }: FisherPlan): Promise<TaskData> {
  const most = quick ? QUICK_IMAGES : Number.POSITIVE_INFINITY;
  const key = `${set.name} ${most}`;
  const found = read.get(key) ?? readImages(set, most);
  read.set(key, found);
  found.catch(() => read.delete(key));
  return found;
}

async function readImages(set: ImageSet, most: number): Promise<TaskData> {
  const train = sharedImages(await storedImages(set, 'train', most));
  const test = sharedImages(await storedImages(set, 'test', most));
  return { train, test };
}
