import Foundation

/// Writes TIFF files (TIFF 6.0, section 2) that other programs never produce.
enum TestTIFF {
    /// Returns a page of 2 rows of 3 gray bytes in one strip, with a profile of 10 bytes.
    ///
    /// - Parameters:
    ///   - changes: Other values of tags.
    ///   - pixels: The bytes of the strip.
    ///   - planes: The number of strips, of equal length.
    static func page(
        _ changes: [Int: Int] = [:], pixels: [UInt8] = [0, 50, 100, 150, 200, 255], planes: Int = 1
    ) -> Data {
        // The pixels follow the header, then the profile and the directory. Two numbers of 16 bits are in their tags.
        let (end, length) = (8 + pixels.count, pixels.count / planes)
        var tags = [
            (256, 4, 1, 3), (257, 4, 1, 2), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (277, 3, 1, 1),
            (278, 4, 1, 2), (34_675, 7, 10, end),
        ]
        tags += [(273, 3, planes, 8 | (8 + length) << 16), (279, 3, planes, length | length << 16)]
        tags.removeAll { changes[$0.0] != nil }
        tags = (tags + changes.map { ($0, $1 > 65_535 ? 4 : 3, 1, $1) }).sorted { $0.0 < $1.0 }
        let entries = tags.map { number($0.0, 2) + number($0.1, 2) + number($0.2, 4) + number($0.3, 4) }
        return Data([0x49, 0x49, 42, 0]) + number(end + 10, 4) + Data(pixels) + Data(count: 10)
            + number(tags.count, 2) + Data(entries.joined()) + number(0, 4)
    }

    private static func number(_ value: Int, _ count: Int) -> Data {
        Data((0..<count).map { UInt8(value >> (8 * $0) & 255) })
    }
}
