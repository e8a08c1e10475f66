import ArgumentParser
import Foundation
import ImageCore
import ImageLoaderKit
import ImageProcessing

/// How a terminal shows an image.
enum TerminalGraphics: String, CaseIterable, ExpressibleByArgument, Sendable {
    case kitty, iterm, sixel
    /// Half blocks in 24-bit color.
    case blocks
    /// Half blocks in 256 colors.
    case blocks256
    case ascii

    /// Chooses by the variables that terminals set.
    init(_ environment: [String: String]) {
        let term = environment["TERM"] ?? ""
        let program = environment["TERM_PROGRAM"] ?? ""
        let isNested = environment["TMUX"] != nil || term.hasPrefix("screen") || term.hasPrefix("tmux")
        if term == "dumb" || environment["NO_COLOR"]?.isEmpty == false {
            self = .ascii
        } else if isNested {
            self = Self.blocks(environment)
        } else if environment["KITTY_WINDOW_ID"] != nil || ["kitty", "ghostty"].contains(where: term.contains)
            || ["kitty", "ghostty"].contains(program)
        {
            self = .kitty
        } else if ["iTerm.app", "WezTerm"].contains(program) || environment["LC_TERMINAL"] == "iTerm2" {
            self = .iterm
        } else if term.contains("sixel") || term.hasPrefix("foot") || term.hasPrefix("mlterm") {
            self = .sixel
        } else {
            self = Self.blocks(environment)
        }
    }

    private static func blocks(_ environment: [String: String]) -> TerminalGraphics {
        ["truecolor", "24bit"].contains(environment["COLORTERM"]) ? .blocks : .blocks256
    }
}

/// Draws images as text for a terminal.
struct TerminalScreen {
    var graphics: TerminalGraphics
    var columns: Int
    var rows: Int

    /// The usual size of a character, by which an image is scaled to columns and rows.
    private static let cell = PixelSize(width: 10, height: 20)

    /// The size to which to decode an image.
    var pixels: PixelSize {
        switch graphics {
        case .kitty, .iterm, .sixel: PixelSize(width: columns * Self.cell.width, height: rows * Self.cell.height)
        case .blocks, .blocks256, .ascii: PixelSize(width: columns, height: rows * 2)
        }
    }

    /// Returns the text that shows an image, without the last line break.
    func text(_ bitmap: Bitmap) throws -> String {
        switch graphics {
        case .kitty: Self.kitty(try Self.png(bitmap))
        case .iterm: Self.iterm(try Self.png(bitmap))
        case .sixel: Sixels(bitmap.over(.black)).text
        case .blocks, .blocks256: blocks(bitmap.over(.black))
        case .ascii: characters(bitmap.over(.black))
        }
    }

    private static func png(_ bitmap: Bitmap) throws -> String {
        try [any ImageEncoder].standard.encoder(for: .png)?.encode(bitmap, options: EncodingOptions())
            .base64EncodedString() ?? ""
    }

    /// The PNG in chunks of 4,096 characters (kitty, "Terminal graphics protocol").
    private static func kitty(_ png: String) -> String {
        let starts = Array(stride(from: 0, to: png.utf8.count, by: 4_096))
        let characters = Array(png.utf8)
        return starts.map { start in
            let chunk = String(decoding: characters[start..<min(start + 4_096, characters.count)], as: UTF8.self)
            let control = start == 0 ? "a=T,f=100," : ""
            return "\u{1B}_G\(control)m=\(start == starts.last ? 0 : 1);\(chunk)\u{1B}\\"
        }.joined()
    }

    private static func iterm(_ png: String) -> String { "\u{1B}]1337;File=inline=1:\(png)\u{07}" }

    /// Each character is two pixels: the upper one in the color of the text, the lower one in that of the background.
    private func blocks(_ bitmap: Bitmap) -> String {
        let palette = TerminalPalette()
        let (size, pixels) = (bitmap.size, bitmap.pixels)
        func color(_ x: Int, _ y: Int) -> String {
            let start = (y * size.width + x) * 4
            let (red, green, blue) = (Int(pixels[start]), Int(pixels[start + 1]), Int(pixels[start + 2]))
            if graphics == .blocks { return "2;\(red);\(green);\(blue)" }
            return "5;\(palette.nearest(to: red, green, blue))"
        }
        let lines = stride(from: 0, to: size.height, by: 2).map { y in
            let cells = (0..<size.width).map { x in
                let lower = y + 1 < size.height ? "\u{1B}[48;\(color(x, y + 1))m" : "\u{1B}[49m"
                return "\u{1B}[38;\(color(x, y))m\(lower)\u{2580}"
            }
            return cells.joined() + "\u{1B}[0m"
        }
        return lines.joined(separator: "\n")
    }

    /// A character for two pixels, by their brightness.
    private func characters(_ bitmap: Bitmap) -> String {
        let ramp = Array(" .:-=+*#%@")
        let (size, pixels) = (bitmap.size, bitmap.pixels)
        return stride(from: 0, to: size.height, by: 2).map { y in
            String(
                (0..<size.width).map { x in
                    let start = (y * size.width + x) * 4
                    let brightness = (2 * Int(pixels[start]) + 5 * Int(pixels[start + 1]) + Int(pixels[start + 2])) / 8
                    return ramp[brightness * (ramp.count - 1) / 255]
                })
        }.joined(separator: "\n")
    }
}

/// The colors 16 to 255 of terminals, as xterm has them: a cube of 216 and 24 grays.
struct TerminalPalette {
    /// In Oklab (Ottosson 2020), where equal distances look alike.
    private let colors: [SIMD3<Double>]

    init() {
        let levels = [0, 95, 135, 175, 215, 255]
        let cube = (0..<216).map { Self.oklab(levels[$0 / 36], levels[$0 / 6 % 6], levels[$0 % 6]) }
        colors = cube + (0..<24).map { Self.oklab(8 + 10 * $0, 8 + 10 * $0, 8 + 10 * $0) }
    }

    /// Returns the number of the color that looks most like one in sRGB.
    func nearest(to red: Int, _ green: Int, _ blue: Int) -> Int {
        let color = Self.oklab(red, green, blue)
        let distances = colors.map { (($0 - color) * ($0 - color)).sum() }
        return 16 + (distances.indices.min { distances[$0] < distances[$1] } ?? 0)
    }

    private static func oklab(_ red: Int, _ green: Int, _ blue: Int) -> SIMD3<Double> {
        let (r, g, b) = (linear(red), linear(green), linear(blue))
        let l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
        let m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
        let s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
        return SIMD3(
            0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s)
    }

    private static func linear(_ value: Int) -> Double { TransferFunction.sRGB.light(of: Double(value) / 255) }
}

/// An image as sixels (DEC STD 070, chapter 9) in a cube of 216 colors, with ordered dithering.
private struct Sixels {
    private static let thresholds = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]

    let text: String

    init(_ bitmap: Bitmap) {
        let (size, pixels) = (bitmap.size, bitmap.pixels)
        let indices = (0..<size.area).map { index in
            let threshold = Self.thresholds[index / size.width % 4 * 4 + index % size.width % 4] * 2 + 1
            return (0..<3).reduce(0) { $0 * 6 + (Int(pixels[index * 4 + $1]) * 160 + threshold * 255) / (255 * 32) }
        }
        let palette = (0..<216).map { "#\($0);2;\($0 / 36 * 20);\($0 / 6 % 6 * 20);\($0 % 6 * 20)" }.joined()
        let bands = stride(from: 0, to: size.height, by: 6).map { top -> String in
            let rows = top..<min(top + 6, size.height)
            let used = Set(indices[rows.lowerBound * size.width..<rows.upperBound * size.width])
            return used.sorted().map { color in
                let columns = (0..<size.width).map { x -> Character in
                    let bits = rows.reduce(0) { bits, y in
                        indices[y * size.width + x] == color ? bits | 1 << (y - top) : bits
                    }
                    return Character(UnicodeScalar(UInt8(63 + bits)))
                }
                return "#\(color)" + String(columns)
            }.joined(separator: "$")
        }
        text = "\u{1B}P0;1q\"1;1;\(size.width);\(size.height)\(palette)\(bands.joined(separator: "-"))\u{1B}\\"
    }
}
