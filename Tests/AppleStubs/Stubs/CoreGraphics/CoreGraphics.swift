// Stub declarations of the API that the adapters need. Each has a link to its page in Apple's reference. Foundation
// declares CGFloat and CGRect on every platform.
@_exported public import Foundation

// Core Foundation types are aliases here; on Apple's platforms, they are toll-free bridged.
// https://developer.apple.com/documentation/corefoundation
public typealias CFString = String
public typealias CFData = Data
public typealias CFMutableData = NSMutableData
public typealias CFDictionary = [String: Any]
public typealias CFArray = [Any]

/// https://developer.apple.com/documentation/coregraphics/cgcolorspace
public final class CGColorSpace: Sendable {
    /// https://developer.apple.com/documentation/coregraphics/cgcolorspace/srgb
    public static let sRGB: CFString = "kCGColorSpaceSRGB"

    /// https://developer.apple.com/documentation/coregraphics/cgcolorspace/displayp3
    public static let displayP3: CFString = "kCGColorSpaceDisplayP3"

    /// https://developer.apple.com/documentation/coregraphics/cgcolorspace/name
    public let name: CFString?

    /// https://developer.apple.com/documentation/coregraphics/cgcolorspace/init(name:)
    public init?(name: CFString) {
        guard [Self.sRGB, Self.displayP3].contains(name) else { return nil }
        self.name = name
    }

    /// https://developer.apple.com/documentation/coregraphics/cgcolorspace/iswidegamutrgb
    public var isWideGamutRGB: Bool { name == Self.displayP3 }
}

/// https://developer.apple.com/documentation/coregraphics/cgdataproviderreleasedatacallback
public typealias CGDataProviderReleaseDataCallback =
    @convention(c) (
        UnsafeMutableRawPointer?, UnsafeRawPointer, Int
    ) -> Void

/// https://developer.apple.com/documentation/coregraphics/cgdataprovider
public final class CGDataProvider {
    /// The memory that the provider uses. Not part of Core Graphics.
    public let bytes: UnsafeRawBufferPointer
    private let release: () -> Void

    /// https://developer.apple.com/documentation/coregraphics/cgdataprovider/init(datainfo:data:size:releasedata:)
    public init?(
        dataInfo info: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int,
        releaseData: CGDataProviderReleaseDataCallback
    ) {
        bytes = UnsafeRawBufferPointer(start: data, count: size)
        release = { releaseData(info, data, size) }
    }

    /// https://developer.apple.com/documentation/coregraphics/cgdataprovider/init(data:)
    public init?(data: CFData) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
        data.copyBytes(to: copy)
        bytes = UnsafeRawBufferPointer(copy)
        release = { copy.deallocate() }
    }

    deinit { release() }

    /// https://developer.apple.com/documentation/coregraphics/cgdataprovider/data
    public var data: CFData? { Data(bytes) }
}

/// https://developer.apple.com/documentation/coregraphics/cgbitmapinfo
public struct CGBitmapInfo: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// https://developer.apple.com/documentation/coregraphics/cgimagealphainfo
public enum CGImageAlphaInfo: UInt32, Sendable {
    case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst, alphaOnly
}

/// https://developer.apple.com/documentation/coregraphics/cgcolorrenderingintent
public enum CGColorRenderingIntent: Int32, Sendable {
    case defaultIntent, absoluteColorimetric, relativeColorimetric, perceptual, saturation
}

/// https://developer.apple.com/documentation/coregraphics/cginterpolationquality
public enum CGInterpolationQuality: Int32, Sendable {
    case `default`, none, low, high, medium
}

/// https://developer.apple.com/documentation/coregraphics/cgblendmode
public enum CGBlendMode: Int32, Sendable {
    case normal = 0
    case copy = 17
}

/// https://developer.apple.com/documentation/coregraphics/cgimage
public final class CGImage: @unchecked Sendable {
    public let width: Int
    public let height: Int
    public let bytesPerRow: Int
    public let bitmapInfo: CGBitmapInfo
    public let colorSpace: CGColorSpace?
    public let dataProvider: CGDataProvider?

    /// Returns nil if the parameters are inconsistent.
    /// https://developer.apple.com/documentation/coregraphics/cgimage/init(width:height:bitspercomponent:bitsperpixel:bytesperrow:space:bitmapinfo:provider:decode:shouldinterpolate:intent:)
    public init?(
        width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
        bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
        intent: CGColorRenderingIntent
    ) {
        guard width > 0, height > 0, bitsPerComponent == 8, bitsPerPixel == 32, bytesPerRow >= width * 4,
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
