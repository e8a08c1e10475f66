import Foundation

/// Writes JPEG files whose 8 by 8 blocks each have a single level. Can write unusual files that encoders never produce.
struct FlatJPEG {
    struct Component {
        var horizontal = 1
        var vertical = 1
        /// Returns the level of a block of this component.
        var level: @Sendable (_ column: Int, _ row: Int) -> Int

        init(_ horizontal: Int = 1, _ vertical: Int = 1, level: @escaping @Sendable (Int, Int) -> Int) {
            (self.horizontal, self.vertical, self.level) = (horizontal, vertical, level)
        }

        init(_ horizontal: Int = 1, _ vertical: Int = 1, level: Int) {
            self.init(horizontal, vertical) { _, _ in level }
        }
    }

    var width = 16
    var height = 16
    var components: [Component]
    /// Marker segments before the frame: the code after 0xFF, and the bytes after the length.
    var segments: [(marker: UInt8, bytes: [UInt8])] = []
    /// 0xC0 for baseline, 0xC2 for progressive (writes only the first DC scan).
    var frameMarker: UInt8 = 0xC0
    var precision: UInt8 = 8
    /// The number of MCUs between restart markers. 0 means no markers.
    var restartInterval = 0
    /// The number of times that the scan is written.
    var scanCount = 1
    /// Ah and Al of the scan header (T.81, B.2.3).
    var approximation: UInt8 = 0

    /// Whether every level is 128. The scan is then zeros, which is fast for images of any size.
    var isGray = false

    var data: Data {
        var file: [UInt8] = [0xFF, 0xD8]
        for segment in segments { file += Self.segment(segment.marker, segment.bytes) }
        file += Self.segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        file += Self.segment(frameMarker, frame)
        // DC: twelve categories with codes of four bits. AC: end of block with the code 0.
        file += Self.segment(0xC4, [0x00] + Self.codeCounts(twelveOfLength: 4) + Array(0..<12))
        file += Self.segment(0xC4, [0x10] + Self.codeCounts(oneOfLength: 1) + [0])
        if restartInterval > 0 { file += Self.segment(0xDD, Self.uint16(restartInterval)) }
        for _ in 0..<scanCount { file += Self.segment(0xDA, scanHeader) + scan }
        return Data(file + [0xFF, 0xD9])
    }

    private var frame: [UInt8] {
        var bytes = [precision] + Self.uint16(height) + Self.uint16(width) + [UInt8(components.count)]
        for (index, component) in components.enumerated() {
            bytes += [UInt8(index + 1), UInt8(component.horizontal << 4 | component.vertical), 0]
        }
        return bytes
    }

    private var isProgressive: Bool { frameMarker == 0xC2 }

    private var scanHeader: [UInt8] {
        [UInt8(components.count)] + components.indices.flatMap { [UInt8($0 + 1), 0] }
            + [0, isProgressive ? 0 : 63, approximation]
    }

    /// The entropy-coded data of one scan.
    private var scan: [UInt8] {
        var bits = BitWriter()
        var previous = [Int](repeating: 0, count: components.count)
        let interleaves = components.count > 1
        let widest = interleaves ? components.map(\.horizontal).max() ?? 1 : 1
        let highest = interleaves ? components.map(\.vertical).max() ?? 1 : 1
        let columns = (width + 8 * widest - 1) / (8 * widest)
        let rows = (height + 8 * highest - 1) / (8 * highest)
        if isGray {
            let blocks = interleaves ? components.reduce(0) { $0 + $1.horizontal * $1.vertical } : 1
            return [UInt8](repeating: 0, count: (columns * rows * blocks * (isProgressive ? 4 : 5) + 7) / 8)
        }
        for mcu in 0..<columns * rows {
            if restartInterval > 0, mcu > 0, mcu % restartInterval == 0 {
                bits.restart(number: mcu / restartInterval - 1)
                previous = previous.map { _ in 0 }
            }
            for (index, component) in components.enumerated() {
                let (across, down) = interleaves ? (component.horizontal, component.vertical) : (1, 1)
                for block in 0..<across * down {
                    let level = component.level(
                        mcu % columns * across + block % across, mcu / columns * down + block / across)
                    let coefficient = 8 * (level - 128)
                    bits.appendDC(difference: coefficient - previous[index])
                    if !isProgressive { bits.append(0, count: 1) }
                    previous[index] = coefficient
                }
            }
        }
        return bits.finished
    }

    private static func segment(_ marker: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [0xFF, marker] + uint16(bytes.count + 2) + bytes
    }

    private static func uint16(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

    private static func codeCounts(twelveOfLength length: Int) -> [UInt8] { (1...16).map { $0 == length ? 12 : 0 } }

    private static func codeCounts(oneOfLength length: Int) -> [UInt8] { (1...16).map { $0 == length ? 1 : 0 } }
}

/// Writes bits, highest first, with the byte stuffing that separates data from markers.
private struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending = 0
    private var pendingCount = 0

    mutating func append(_ value: Int, count: Int) {
        for bit in (0..<count).reversed() {
            pending = pending << 1 | value >> bit & 1
            pendingCount += 1
            if pendingCount == 8 { flush() }
        }
    }

    /// Appends a DC difference (T.81, F.1.2.1), with codes of four bits that equal their categories.
    mutating func appendDC(difference: Int) {
        let category = Int.bitWidth - abs(difference).leadingZeroBitCount
        append(category, count: 4)
        append(difference < 0 ? difference - 1 : difference, count: category)
    }

    mutating func restart(number: Int) {
        pad()
        bytes += [0xFF, 0xD0 + UInt8(number % 8)]
    }

    var finished: [UInt8] {
        var copy = self
        copy.pad()
        return copy.bytes
    }

    private mutating func pad() {
        while pendingCount != 0 { append(1, count: 1) }
    }

    private mutating func flush() {
        bytes.append(UInt8(pending))
        if pending == 0xFF { bytes.append(0) }
        (pending, pendingCount) = (0, 0)
    }
}
