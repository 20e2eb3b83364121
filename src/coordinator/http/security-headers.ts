/** WebAssembly may run, scripts, styles and workers are files of this origin, nothing comes from or goes elsewhere. */
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

/** What every response says to browsers; `secure` where it travels over TLS. */
export function securityHeaders(secure: boolean): Readonly<Record<string, string>> {
  return secure ? { ...always, 'Strict-Transport-Security': 'max-age=31536000' } : always;
}

/** Sets them on a response; nothing is cached unless the response says otherwise. */
export function secureResponse(response: Response, secure: boolean): Response {
  for (const [name, value] of Object.entries(securityHeaders(secure))) {
    response.headers.set(name, value);
  }
  if (!response.headers.has('Cache-Control')) response.headers.set('Cache-Control', 'no-store');
  return response;
}
