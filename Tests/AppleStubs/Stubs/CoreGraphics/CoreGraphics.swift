// The API that the adapters need. Foundation declares CGFloat and CGRect on every platform.
@_exported public import Foundation

// Core Foundation's types are aliases here. On Apple's systems they are toll-free bridged, which their targets imitate.
#if canImport(FoundationNetworking)
    public typealias CFString = String
    public typealias CFData = Data
    public typealias CFDictionary = [String: Any]
    public typealias CFArray = [Any]
#else
    public typealias CFString = NSString
    public typealias CFData = NSData
    public typealias CFDictionary = NSDictionary
    public typealias CFArray = NSArray
#endif
public typealias CFMutableData = NSMutableData

public final class CGColorSpace: Sendable {
    public static let sRGB: CFString = "kCGColorSpaceSRGB"
    public static let displayP3: CFString = "kCGColorSpaceDisplayP3"
    public static let displayP3_PQ: CFString = "kCGColorSpaceDisplayP3_PQ"
    public let name: CFString?

    public init?(name: CFString) {
        guard [Self.sRGB, Self.displayP3, Self.displayP3_PQ].contains(name) else { return nil }
        self.name = name
    }

    public var isWideGamutRGB: Bool { name != Self.sRGB }
}

public final class CGDataProvider {
    /// The memory that the provider uses. Not part of Core Graphics.
    public let bytes: UnsafeRawBufferPointer
    private let release: () -> Void

    public init?(
        dataInfo info: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int,
        releaseData: @escaping @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer, Int) -> Void
    ) {
        bytes = UnsafeRawBufferPointer(start: data, count: size)
        release = { releaseData(info, data, size) }
    }

    public init?(data: CFData) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
        data.copyBytes(to: copy)
        bytes = UnsafeRawBufferPointer(copy)
        release = { copy.deallocate() }
    }

    deinit { release() }

    public var data: CFData? { Data(bytes) }
}

public struct CGBitmapInfo: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let byteOrder16Little = CGBitmapInfo(rawValue: 1 << 12)
}

public enum CGImageAlphaInfo: UInt32, Sendable {
    case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst, alphaOnly
}

public enum CGColorRenderingIntent: Int32, Sendable {
    case defaultIntent, absoluteColorimetric, relativeColorimetric, perceptual, saturation
}

public enum CGInterpolationQuality: Int32, Sendable { case `default`, none, low, high, medium }

public enum CGBlendMode: Int32, Sendable { case copy = 17 }

public final class CGImage: @unchecked Sendable {
    public let width: Int
    public let height: Int
    public let bytesPerRow: Int
    public let bitmapInfo: CGBitmapInfo
    public let colorSpace: CGColorSpace?
    public let dataProvider: CGDataProvider?
    public var contentHeadroom: Float { 4 }

    public init?(
        width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
        bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
        intent: CGColorRenderingIntent
    ) {
        guard width > 0, height > 0, [8, 16].contains(bitsPerComponent), bitsPerPixel == 4 * bitsPerComponent,
            bytesPerRow >= width * bitsPerComponent / 2,
            provider.bytes.count >= bytesPerRow * height
        else { return nil }
        self.width = width
        self.height = height
        self.bytesPerRow = bytesPerRow
        self.bitmapInfo = bitmapInfo
        colorSpace = space
        dataProvider = provider
    }
}
