import ImageCore

/// Decompresses the pixel indices of one image (GIF89a, appendix F), as many at a time as a row needs.
///
/// Memory is a table of 4096 strings, whatever the data says; every access is checked.
struct LZWReader {
    private var table: LZWStringTable
    private var codes: LZWCodeReader
    private var previous: Int?

    /// The rest of a string that reached over the end of a row.
    private var pending = [UInt8](repeating: 0, count: LZWStringTable.capacity)
    private var pendingRange = 0..<0

    /// - Parameter offset: of the byte that tells the code size; the sub-blocks follow it.
    init(at offset: Int, in source: Span<UInt8>) throws(DecodingFailure) {
        guard source.indices.contains(offset) else { throw .truncated(.gif) }
        let codeSize = Int(source[offset])
        guard (1...11).contains(codeSize) else { throw .malformed(.gif, "the LZW code size is \(codeSize)") }
        table = LZWStringTable(codeSize: codeSize)
        codes = LZWCodeReader(at: offset + 1)
    }

    /// Fills `row` with the next indices.
    mutating func read(into row: inout MutableSpan<UInt8>, from source: Span<UInt8>) throws(DecodingFailure) {
        var filled = takePending(into: &row, at: 0)
        while filled < row.count {
            let code = try codes.read(width: table.codeWidth, from: source)
            if code == table.clearCode {
                table.clear()
                previous = nil
            } else if code == table.endCode {
                throw .truncated(.gif)
            } else {
                try table.learn(code, after: previous)
                previous = code
                filled = write(code, into: &row, at: filled)
            }
        }
    }

    /// Writes the string of `code` at `start`, what does not fit to `pending`; returns where the next one starts.
    private mutating func write(_ code: Int, into row: inout MutableSpan<UInt8>, at start: Int) -> Int {
        let length = table.length(of: code)
        if length <= row.count - start {
            table.expand(code, length: length, into: &row, at: start)
            return start + length
        }
        spill(code, length: length)
        return takePending(into: &row, at: start)
    }

    /// The buffer is moved out and back: a span of it would claim all of `self`.
    private mutating func spill(_ code: Int, length: Int) {
        var buffer: [UInt8] = []
        swap(&buffer, &pending)
        var target = buffer.mutableSpan
        table.expand(code, length: length, into: &target, at: 0)
        swap(&buffer, &pending)
        pendingRange = 0..<length
    }

    /// Returns where the next string starts.
    private mutating func takePending(into row: inout MutableSpan<UInt8>, at start: Int) -> Int {
        let count = min(pendingRange.count, row.count - start)
        for index in 0..<count { row[start + index] = pending[pendingRange.lowerBound + index] }
        pendingRange = (pendingRange.lowerBound + count)..<pendingRange.upperBound
        return start + count
    }
}

/// The strings that the codes seen so far stand for.
struct LZWStringTable {
    static let capacity = 4096

    let clearCode: Int
    /// Bits of the next code.
    private(set) var codeWidth: Int
    private var next: Int

    /// The string of a code is that of its prefix, followed by its suffix.
    private var prefixes = [UInt16](repeating: 0, count: capacity)
    private var suffixes = [UInt8](repeating: 0, count: capacity)
    private var firsts = [UInt8](repeating: 0, count: capacity)
    private var lengths = [UInt16](repeating: 0, count: capacity)

    /// - Parameter codeSize: from 1 to 11. The format stops at 8; files beyond are decoded as if it did not.
    init(codeSize: Int) {
        clearCode = 1 << codeSize
        next = clearCode + 2
        codeWidth = codeSize + 1
        for code in 0..<clearCode {
            suffixes[code] = UInt8(truncatingIfNeeded: code)
            firsts[code] = UInt8(truncatingIfNeeded: code)
            lengths[code] = 1
        }
    }

    var endCode: Int { clearCode + 1 }

    mutating func clear() {
        next = clearCode + 2
        codeWidth = clearCode.trailingZeroBitCount + 1
    }

    /// Adds the string that `code` implies, the previous one and the first byte of this one, while there is room.
    mutating func learn(_ code: Int, after previous: Int?) throws(DecodingFailure) {
        guard let previous else {
            guard code < clearCode else { throw .malformed(.gif, "an LZW code is not in the table") }
            return
        }
        guard code <= next, code < Self.capacity else { throw .malformed(.gif, "an LZW code is not in the table") }
        guard next < Self.capacity else { return }
        prefixes[next] = UInt16(truncatingIfNeeded: previous)
        firsts[next] = firsts[previous]
        lengths[next] = lengths[previous] + 1
        suffixes[next] = firsts[code == next ? previous : code]
        next += 1
        if next == 1 << codeWidth, codeWidth < 12 { codeWidth += 1 }
    }

    func length(of code: Int) -> Int { Int(lengths[code]) }

    /// Strings are chained from their last byte to their first, so they are written backwards.
    func expand(_ code: Int, length: Int, into target: inout MutableSpan<UInt8>, at start: Int) {
        var code = code
        var position = start + length
        while position > start {
            position -= 1
            target[position] = suffixes[code]
            code = Int(prefixes[code])
        }
    }
}

/// Takes codes of varying width, least significant bit first, out of a chain of sub-blocks (GIF89a, 15).
struct LZWCodeReader {
    private var cursor: Int
    private var blockEnd: Int
    private var accumulator: UInt32 = 0
    private var bitCount = 0

    /// - Parameter offset: of the first sub-block.
    init(at offset: Int) {
        cursor = offset
        blockEnd = offset
    }

    /// Throws `.truncated` at the end of the chain: a reader asks only while pixels are missing.
    mutating func read(width: Int, from source: Span<UInt8>) throws(DecodingFailure) -> Int {
        while bitCount < width {
            if cursor == blockEnd {
                guard cursor < source.count, source[cursor] > 0 else { throw .truncated(.gif) }
                blockEnd = cursor + 1 + Int(source[cursor])
                cursor += 1
            }
            guard cursor < source.count else { throw .truncated(.gif) }
            accumulator |= UInt32(source[cursor]) << UInt32(bitCount)
            cursor += 1
            bitCount += 8
        }
        let code = Int(accumulator & ((1 << UInt32(width)) - 1))
        accumulator >>= UInt32(width)
        bitCount -= width
        return code
    }
}
