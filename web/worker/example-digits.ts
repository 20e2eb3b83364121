import heldOutImages from '../../examples/digits/held-out-images.idx3-ubyte?url&inline';
import heldOutLabels from '../../examples/digits/held-out-labels.idx1-ubyte?url&inline';
import middleImages from '../../examples/digits/middle-images.idx3-ubyte?url&inline';
import middleLabels from '../../examples/digits/middle-labels.idx1-ubyte?url&inline';
import northImages from '../../examples/digits/north-images.idx3-ubyte?url&inline';
import northLabels from '../../examples/digits/north-labels.idx1-ubyte?url&inline';
import southImages from '../../examples/digits/south-images.idx3-ubyte?url&inline';
import southLabels from '../../examples/digits/south-labels.idx1-ubyte?url&inline';
import { digitsOfFiles, type SmallDigits } from '../../experiments/fisher/small-digits.ts';

/** All 1,797 digits of examples/digits. */
export function exampleDigits(): SmallDigits {
  return digitsOfFiles([
    { images: bytesOf(northImages), labels: bytesOf(northLabels) },
    { images: bytesOf(middleImages), labels: bytesOf(middleLabels) },
    { images: bytesOf(southImages), labels: bytesOf(southLabels) },
    { images: bytesOf(heldOutImages), labels: bytesOf(heldOutLabels) },
  ]);
}

/** The bytes of a `data:` address in base64. */
function bytesOf(address: string): Uint8Array {
  const text = atob(address.slice(address.indexOf(',') + 1));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}
