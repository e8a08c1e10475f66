import Foundation

extension IPTCRecords {
    /// By-line and its title, credit, source, copyright notice and contact, in record 2.
    private static let kept: Set = [80, 85, 110, 115, 116, 118]

    /// Returns the data sets about rights and people, with those that tell the version and the character set.
    ///
    /// Reads up to one that is damaged or longer than 32,767 bytes. Returns nil if none is about rights and people.
    static func copyright(_ records: Data) -> Data? {
        var result = Data()
        var keepsAny = false
        var offset = 0
        while records.bigEndian(at: offset, 1) == 0x1C, let number = records.bigEndian(at: offset + 1, 2),
            let length = records.bigEndian(at: offset + 3, 2), length < 0x8000,
            let dataSet = records.part(offset, 5 + length)
        {
            let isKept = number >> 8 == 2 && kept.contains(number & 255)
            // 1:90 is the character set, 2:0 is the version.
            if isKept || number == 1 << 8 | 90 || number == 2 << 8 { result += dataSet }
            keepsAny = keepsAny || isKept
            offset += 5 + length
        }
        return keepsAny ? result : nil
    }
}
