import CImageCodecGIF
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One image of a file: where it lies on the canvas and where its data lies in the file.
struct GIFFrame {
    var left: Int
    var top: Int
    var width: Int
    var height: Int
    var isInterlaced: Bool
    var palette: GIFPaletteLocation
    /// Of the LZW code size byte.
    var dataOffset: Int
    var transparentIndex: Int?
    var disposal: GIFDisposal
    /// Hundredths of a second, as stored.
    var delay: Int

    /// True when, drawn on a canvas of this size, no pixel of it keeps what was there before.
    func replaces(_ canvas: PixelSize) -> Bool {
        transparentIndex == nil && left == 0 && top == 0 && width >= canvas.width && height >= canvas.height
    }
}

/// Where a palette's red, green, blue triples lie in the file.
struct GIFPaletteLocation {
    var offset: Int
    /// 0 when the file has no palette for the frame.
    var count: Int
}

/// What happens to a frame's area before the next frame is drawn (GIF89a, 23c iv).
enum GIFDisposal {
    case keep
    case clear
    case restore

    /// 4 is taken for 3 as browsers do: early texts numbered the bits, not the values.
    init(code: Int32) {
        switch code {
        case 2: self = .clear
        case 3, 4: self = .restore
        default: self = .keep
        }
    }
}

/// A file's screen and frames, without their pixels.
struct GIFStructure {
    var canvas: PixelSize
    var frames: [GIFFrame] = []
    /// The stored count of repetitions after the first play; nil when there is none.
    var repetitions: Int?
    /// Whether the file ends within a record. The last frame may then be cut, and others be missing.
    var isCut = false

    /// Steps over every record of the file; time is linear in its length, memory in its number of frames.
    init(scanning data: Data, limits: DecodingLimits) throws(DecodingFailure) {
        var scan = GIFScan(limits: limits)
        // The closure can't throw a typed error, so the outcome is carried out by hand.
        let outcome: Result<GIFStructure, DecodingFailure> = unsafe data.withUnsafeBytes { bytes in
            Result { () throws(DecodingFailure) in try unsafe scan.run(bytes) }
        }
        self = try outcome.get()
    }

    fileprivate init(canvas: PixelSize) { self.canvas = canvas }

    /// How often the animation plays, 0 for ever: once where nothing is said, else the repetitions and the first play.
    var loopCount: Int {
        guard let repetitions else { return 1 }
        return repetitions == 0 ? 0 : repetitions + 1
    }

    /// Whether some pixel of the canvas may ever be transparent. A transparent colour over an opaque first frame shows that frame.
    var hasAlpha: Bool {
        guard let first = frames.first, first.replaces(canvas) else { return true }
        if frames.count > 1, first.disposal == .restore { return true }
        return frames.dropLast().contains { $0.disposal == .clear }
    }
}

/// The walk over the records.
private struct GIFScan {
    let limits: DecodingLimits
    /// From the last graphic control extension; belongs to the next image or text alone (GIF89a, 23).
    var control: gif_record?

    mutating func run(_ bytes: UnsafeRawBufferPointer) throws(DecodingFailure) -> GIFStructure {
        var failure = gif_record_malformed
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard let walker = unsafe gif_walker_open(start, bytes.count, &failure) else {
            throw error(failure, "the screen descriptor can't be read")
        }
        defer { unsafe gif_walker_close(walker) }
        let canvas = unsafe PixelSize(width: Int(gif_walker_width(walker)), height: Int(gif_walker_height(walker)))
        guard canvas.width > 0, canvas.height > 0 else { throw .malformed(.gif, "the screen is \(canvas)") }
        try limits.check(canvas)
        var structure = GIFStructure(canvas: canvas)
        let palette = unsafe GIFPaletteLocation(offset: 13, count: Int(gif_walker_palette_count(walker)))
        while true {
            let record = unsafe gif_walker_next(walker)
            guard try take(record, globalPalette: palette, into: &structure) else { return structure }
        }
    }

    /// False at the end of the file.
    private mutating func take(
        _ record: gif_record, globalPalette: GIFPaletteLocation, into structure: inout GIFStructure
    ) throws(DecodingFailure) -> Bool {
        switch record.kind {
        case gif_record_image, gif_record_cut_image:
            structure.frames.append(frame(record, globalPalette: globalPalette))
            control = nil
            try limits.check(.frames, structure.frames.count)
            try limits.check(PixelSize(width: Int(record.width), height: Int(record.height)))
            structure.isCut = record.kind == gif_record_cut_image
            return !structure.isCut
        case gif_record_graphic_control: control = record
        case gif_record_plain_text: control = nil
        case gif_record_loop: structure.repetitions = Int(record.repetitions)
        case gif_record_other: break
        default:
            structure.isCut = record.kind == gif_record_truncated
            if structure.frames.isEmpty { throw missingImage(record.kind) }
            return false
        }
        return true
    }

    /// Files without a trailer, or with other bytes in its place, are common; the images before it are whole.
    private func missingImage(_ kind: gif_record_kind) -> DecodingFailure {
        kind == gif_record_truncated || kind == gif_record_no_trailer
            ? .truncated(.gif) : .malformed(.gif, "there is no image in it")
    }

    private func frame(_ record: gif_record, globalPalette: GIFPaletteLocation) -> GIFFrame {
        let local = GIFPaletteLocation(offset: Int(record.palette_offset), count: Int(record.palette_count))
        return GIFFrame(
            left: Int(record.left), top: Int(record.top), width: Int(record.width), height: Int(record.height),
            isInterlaced: record.is_interlaced != 0, palette: local.count > 0 ? local : globalPalette,
            dataOffset: Int(record.data_offset), transparentIndex: transparentIndex,
            disposal: GIFDisposal(code: control?.disposal ?? 0), delay: Int(control?.delay ?? 0))
    }

    private var transparentIndex: Int? {
        guard let index = control?.transparent_index, index >= 0 else { return nil }
        return Int(index)
    }

    private func error(_ kind: gif_record_kind, _ text: String) -> DecodingFailure {
        kind == gif_record_truncated ? .truncated(.gif) : .malformed(.gif, text)
    }
}
