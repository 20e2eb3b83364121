"""Ed25519 (RFC 8032, section 5.1) in plain integers, standard library only.

For illustration: it is not constant-time, so whoever can time it may learn the secret. On a machine
shared with others use a library (cryptography, PyNaCl); keys and signatures are the same bytes.
"""

import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
ZERO = (0, 1, 1, 0)  # points are (X, Y, Z, T): x = X/Z, y = Y/Z, xy = T/Z


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(scalar, point):
    total = ZERO
    while scalar > 0:
        if scalar & 1:
            total = add(total, point)
        point, scalar = add(point, point), scalar >> 1
    return total


def recover_x(y, odd):
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT_OF_MINUS_ONE % P
    if y >= P or (x * x - square) % P != 0 or (x == 0 and odd):
        raise ValueError("not a point of the curve")
    return P - x if x & 1 != odd else x


def pack(point):
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def unpack(data):
    number = int.from_bytes(data, "little")
    y, odd = number & (2**255 - 1), number >> 255
    x = recover_x(y, odd)
    return (x, y, 1, x * y % P)


BASE_Y = 4 * pow(5, -1, P) % P
BASE = (recover_x(BASE_Y, 0), BASE_Y, 1, recover_x(BASE_Y, 0) * BASE_Y % P)


def hashed(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


def expand(secret):
    digest = hashlib.sha512(secret).digest()
    scalar = int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254
    return scalar, digest[32:]


def public_key(secret):
    return pack(times(expand(secret)[0], BASE))


def sign(message, secret):
    scalar, prefix = expand(secret)
    key = pack(times(scalar, BASE))
    r = hashed(prefix, message) % ORDER
    point = pack(times(r, BASE))
    s = (r + hashed(point, key, message) * scalar) % ORDER
    return point + s.to_bytes(32, "little")


def is_signed(message, signature, key):
    if len(signature) != 64 or len(key) != 32:
        return False
    try:
        left, right = unpack(signature[:32]), unpack(key)
    except ValueError:
        return False
    s = int.from_bytes(signature[32:], "little")
    expected = add(left, times(hashed(signature[:32], key, message) % ORDER, right))
    return s < ORDER and pack(times(s, BASE)) == pack(expected)
