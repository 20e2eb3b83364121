declare module 'libsodium-sumo' {
  /** Loads the library's WASM module; it needs no random numbers for what is used of it. */
  export default function load(options: object): Promise<unknown>;
}
