export declare const stamp: string;
export declare function sourceDigest(): string;
export declare function isBuilt(digest?: string): boolean;
