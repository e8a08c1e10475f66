public import ArgumentParser
import Foundation
public import ImageCore

extension PixelSize: ExpressibleByArgument {
    /// The side that `200x` and `x200` leave open.
    private static let openSide = 65_535

    private static let named: [String: PixelSize] = [
        "thumbnail": PixelSize(width: 256, height: 256), "hd": PixelSize(width: 1_280, height: 720),
        "fullhd": PixelSize(width: 1_920, height: 1_080), "4k": PixelSize(width: 3_840, height: 2_160),
    ]

    /// Parses `WxH`, `W` for a square, one side as `Wx` or `xH`, or a name. Numbers are from 1 to 65,535.
    public init?(argument: String) {
        if let size = Self.named[argument.lowercased()] {
            self = size
            return
        }
        let sides = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { side in
            side.isEmpty ? Self.openSide : Int(side) ?? 0
        }
        guard (1...2).contains(sides.count), argument.contains(where: \.isNumber), let first = sides.first,
            let last = sides.last, (1...65_535).contains(first), (1...65_535).contains(last)
        else { return nil }
        self.init(width: first, height: last)
    }

    public static var defaultCompletionKind: CompletionKind { .list(named.keys.sorted()) }

    /// Whether only one side was given. An image fits into such a size, but can't fill it.
    var isOpen: Bool { max(width, height) == Self.openSide }
}

extension RequestPriority: ExpressibleByArgument {
    public init?(argument: String) {
        guard let match = Self.allCases.first(where: { "\($0)".lowercased() == argument.lowercased() }) else {
            return nil
        }
        self = match
    }

    public static var allValueStrings: [String] { allCases.map { "\($0)" } }

    /// None, because the names say it.
    public static var allValueDescriptions: [String: String] { [:] }
}

extension ImageCachePolicy: ExpressibleByArgument {
    private static let named: KeyValuePairs<String, ImageCachePolicy> = [
        "all": .all, "memoryOnly": .memoryOnly, "diskOnly": .diskOnly, "none": .disabled,
    ]

    public init?(argument: String) {
        guard let match = Self.named.first(where: { $0.key == argument }) else { return nil }
        self = match.value
    }

    public var defaultValueDescription: String { Self.named.first { $0.value == self }?.key ?? "\(self)" }

    public static var allValueStrings: [String] { named.map(\.key) }

    public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// An age: a whole number followed by s, m, h, d or w.
struct Age: ExpressibleByArgument {
    var duration: Duration

    init?(argument: String) {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        guard let unit = argument.last.flatMap({ units[$0] }), let count = Int(argument.dropLast()), count >= 0,
            case let (seconds, overflow) = count.multipliedReportingOverflow(by: unit), !overflow
        else { return nil }
        duration = .seconds(seconds)
    }
}

/// A number of bytes: a whole number, optionally followed by B, kB, MB or GB (powers of 1,000).
struct ByteCount: ExpressibleByArgument {
    var bytes: Int

    init(bytes: Int) { self.bytes = bytes }

    var defaultValueDescription: String { Self.text(bytes) }

    init?(argument: String) {
        let text = argument.lowercased()
        let units = [("gb", 1_000_000_000), ("mb", 1_000_000), ("kb", 1_000), ("b", 1)]
        let (suffix, scale) = units.first { text.hasSuffix($0.0) } ?? ("", 1)
        guard let count = Int(text.dropLast(suffix.count)), count >= 0,
            case let (bytes, overflow) = count.multipliedReportingOverflow(by: scale), !overflow
        else { return nil }
        self.bytes = bytes
    }

    /// Returns the number, rounded, in the largest fitting unit, such as `1.5 MB`.
    static func text(_ bytes: Int) -> String {
        switch bytes {
        case ..<1_000: "\(bytes) B"
        case ..<999_950: String(format: "%.1f kB", Double(bytes) / 1_000)
        case ..<999_950_000: String(format: "%.1f MB", Double(bytes) / 1_000_000)
        default: String(format: "%.2f GB", Double(bytes) / 1_000_000_000)
        }
    }
}

/// A header in curl's syntax: `Name: value`.
struct HeaderArgument: ExpressibleByArgument {
    var name: String
    var value: String

    init?(argument: String) {
        guard let colon = argument.firstIndex(of: ":"), colon != argument.startIndex else { return nil }
        name = String(argument[..<colon])
        value = argument[argument.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
}
