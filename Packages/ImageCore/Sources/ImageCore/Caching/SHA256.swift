/// The hash function SHA-256 (FIPS 180-4, sections 5.1.1, 5.3.3 and 6.2.2).
///
/// It names cache files and replaces credentials in keys. swift-crypto would also build the larger BoringSSL.
package enum SHA256 {
    private static let initial: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]

    /// Returns the eight words of the digest.
    package static func digest(of message: [UInt8]) -> [UInt32] {
        let padded = pad(message)
        var state = initial
        var schedule = [UInt32](repeating: 0, count: 64)
        for block in stride(from: 0, to: padded.count, by: 64) {
            expand(padded, at: block, into: &schedule)
            compress(schedule, into: &state)
        }
        return state
    }

    /// Returns the digest of `message` as 64 lowercase hexadecimal digits.
    package static func hexadecimalDigest(of message: [UInt8]) -> String {
        hexadecimal(digest(of: message))
    }

    /// Returns the HMAC of a message (RFC 2104) as 64 lowercase hexadecimal digits.
    ///
    /// - Parameter key: Up to 64 bytes. The zeros that complete it make no difference.
    package static func hexadecimalCode(of message: [UInt8], key: [UInt8]) -> String {
        hexadecimal(code(of: message, key: key))
    }

    /// Returns the 32 bytes of the HMAC of a message (RFC 2104).
    ///
    /// - Parameter key: A longer key than 64 bytes is replaced by its digest.
    package static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        bytes(code(of: message, key: key.count > 64 ? bytes(digest(of: key)) : key))
    }

    private static func code(of message: [UInt8], key: [UInt8]) -> [UInt32] {
        let padded = key + [UInt8](repeating: 0, count: max(0, 64 - key.count))
        let inner = digest(of: padded.map { $0 ^ 0x36 } + message)
        return digest(of: padded.map { $0 ^ 0x5C } + bytes(inner))
    }

    private static func bytes(_ words: [UInt32]) -> [UInt8] {
        words.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
    }

    private static func hexadecimal(_ words: [UInt32]) -> String {
        words.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    /// Appends a one bit, zeros and the big-endian 64-bit length in bits, up to a multiple of 64 bytes.
    private static func pad(_ message: [UInt8]) -> [UInt8] {
        var padded = message
        padded.reserveCapacity(message.count + 72)
        padded.append(0x80)
        padded.append(contentsOf: repeatElement(0, count: (120 - padded.count % 64) % 64))
        padded.append(bigEndian: UInt64(message.count) * 8)
        return padded
    }

    private static func expand(_ bytes: [UInt8], at block: Int, into schedule: inout [UInt32]) {
        for index in 0..<16 {
            let start = block + index * 4
            schedule[index] =
                UInt32(bytes[start]) << 24 | UInt32(bytes[start + 1]) << 16 | UInt32(bytes[start + 2]) << 8
                | UInt32(bytes[start + 3])
        }
        for index in 16..<64 {
            let near = schedule[index - 2]
            let far = schedule[index - 15]
            let sigma1 = rotate(near, 17) ^ rotate(near, 19) ^ near >> 10
            let sigma0 = rotate(far, 7) ^ rotate(far, 18) ^ far >> 3
            schedule[index] = sigma1 &+ schedule[index - 7] &+ sigma0 &+ schedule[index - 16]
        }
    }

    private static func compress(_ schedule: [UInt32], into state: inout [UInt32]) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let choice = e & f ^ ~e & g
            let first =
                h &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ choice &+ constants[index] &+ schedule[index]
            let majority = a & b ^ a & c ^ b & c
            let second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ majority
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
    }

    private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 { value &>> count | value &<< (32 &- count) }
}
