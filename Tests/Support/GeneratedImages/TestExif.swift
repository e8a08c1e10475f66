public import Foundation

/// An Exif block with directories of a camera, of GPS and of a thumbnail.
public struct TestExif {
    private let isLittleEndian: Bool
    private let latitude: [(Int, Int)]
    private let date: String
    private let zone: String

    /// - Parameter latitude: Degrees, minutes and seconds, each as a quotient.
    public init(
        isLittleEndian: Bool = false, latitude: [(Int, Int)] = [(48, 1), (51, 1), (30, 1)],
        date: String = "2024:05:01 12:30:59", zone: String = "+02:00"
    ) {
        self.isLittleEndian = isLittleEndian
        self.latitude = latitude
        self.date = date
        self.zone = zone
    }

    public var data: Data {
        let gps = [
            entry(1, 2, 2, Data("N\0".utf8)), entry(2, 5, latitude.count, quotients(latitude)),
            entry(3, 2, 2, Data("W\0".utf8)),
            entry(4, 5, 3, quotients([(2, 1), (1_766, 100), (0, 1)])), entry(5, 1, 1, Data([1])),
            entry(6, 5, 1, quotients([(35, 2)])),
        ]
        let details = [
            entry(0x829A, 5, 1, quotients([(1, 60)])), entry(0x9003, 2, date.utf8.count + 1, Data("\(date)\0".utf8)),
            entry(0x9011, 2, zone.utf8.count + 1, Data("\(zone)\0".utf8)), entry(0x927C, 7, 9, Data("MakerNote".utf8)),
            entry(0xA431, 2, 7, Data("S12345\0".utf8)),
        ]
        var main = [
            entry(0x010E, 2, 8, Data("Caption\0".utf8)), entry(0x010F, 2, 7, Data("Maker1\0".utf8)),
            entry(0x0110, 2, 3, Data("M1\0".utf8)), entry(0x0112, 3, 1, number(6, 2)),
            entry(0x013B, 2, 4, Data("Ann\0".utf8)), entry(0x8298, 2, 11, Data("(c) Ann B.\0".utf8)),
        ]
        let length = directory(main + [pointer(0x8769, 0), pointer(0x8825, 0)], at: 8, next: 0).count
        let second = directory(details, at: 8 + length, next: 0)
        let third = directory(gps, at: 8 + length + second.count, next: 0)
        main += [pointer(0x8769, 8 + length), pointer(0x8825, 8 + length + second.count)]
        let thumbnail = 8 + length + second.count + third.count
        let image = Data([0xFF, 0xD8, 0xFF, 0xD9])
        let fourth = [pointer(0x0201, thumbnail + 30), entry(0x0202, 4, 1, number(image.count, 4))]
        return Data((isLittleEndian ? "II" : "MM").utf8) + number(42, 2) + number(8, 4)
            + directory(main, at: 8, next: thumbnail) + second + third + directory(fourth, at: thumbnail, next: 0)
            + image
    }

    private typealias Entry = (head: Data, value: Data)

    private func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Data) -> Entry {
        (number(tag, 2) + number(type, 2) + number(count, 4), value)
    }

    private func pointer(_ tag: Int, _ offset: Int) -> Entry { entry(tag, 4, 1, number(offset, 4)) }

    private func quotients(_ quotients: [(Int, Int)]) -> Data {
        Data(quotients.map { number($0.0, 4) + number($0.1, 4) }.joined())
    }

    private func directory(_ entries: [Entry], at offset: Int, next: Int) -> Data {
        let start = offset + 2 + 12 * entries.count + 4
        var (table, values) = (number(entries.count, 2), Data())
        for (head, value) in entries {
            if value.count <= 4 {
                table += head + value + Data(count: 4 - value.count)
            } else {
                table += head + number(start + values.count, 4)
                values += value
            }
        }
        return table + number(next, 4) + values
    }

    private func number(_ value: Int, _ count: Int) -> Data {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return Data(isLittleEndian ? bytes : bytes.reversed())
    }
}
