import type { HttpAnswer } from './http-answer.ts';

/** Allows scripts, styles, workers and requests of this origin only, and WebAssembly. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "worker-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const always: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Security headers of every response; `secure` if clients see TLS. */
export function securityHeaders(secure: boolean): Readonly<Record<string, string>> {
  return secure ? { ...always, 'Strict-Transport-Security': 'max-age=31536000' } : always;
}

/** The answer with the security headers; it is not cached unless it has its own `Cache-Control`. */
export function secureAnswer({ status, headers, body }: HttpAnswer, secure: boolean): HttpAnswer {
  const all = { 'Cache-Control': 'no-store', ...headers, ...securityHeaders(secure) };
  return { status, headers: all, body };
}
